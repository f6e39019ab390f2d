"""What is installed for agents, and taken out again: the shim, hooks, plugins, skills (D270, D272).

program       how others start this program
shim          the program `apply_patch`
json_text     add to a JSON file and take out of it again, every other byte kept
client_files  the files of each client, with our part and without it
writing       carry out a change of such files
"""
