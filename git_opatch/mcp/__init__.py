"""The Model Context Protocol: the tools of git opatch for agents that speak it (D271).

protocol    a line of JSON → a request or an error, and answers as lines
tools       what each tool is called with, and what it does
server      the loop from standard input to standard output
"""
