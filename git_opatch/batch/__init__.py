"""Judge many patches, each against its own base tree; nothing of any repository is changed.

task      one line of the tasks → `Task`
judge     `Task` → the line of its result
pool      the processes of this computer, and what each does
ray_engine  those of a Ray cluster, if Ray is installed
run       all of it, told in one function: where results go, and which tasks have one already
"""
