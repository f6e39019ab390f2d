"""The Model Context Protocol: the tools of git opatch for agents that speak it (D271).

tools       what each tool is called with, and what it does
server      messages in lines of JSON, and the loop from standard input to standard output
"""
