"""What is installed for agents, and taken out again: the shim, hooks, plugins, skills (D270, D272).

shim          the program `apply_patch`
client_files  the files of each client, with our part and without it
writing       carry out a change of such files
"""
