# Completion of `git opatch` for bash, called by that of git; written by manual/make.py.

__git_opatch_hunks ()
{
	local word
	local -a files=()
	for word in "${words[@]:2}"; do [ -f "$word" ] && files+=("$word"); done
	[ ${#files[@]} -eq 0 ] ||
		git opatch show --hunks -- "${files[@]}" 2>/dev/null | cut -f1
}

_git_opatch ()
{
	local commands="apply show undo redo log check convert create leftovers install-agent recover demo agent-hook apply-patch mcp prompt batch"
	local command="$(__git_find_on_cmdline "$commands")"
	case "$command,$prev,$cur" in
	apply,--format,*) __gitcomp "envelope unified search-replace file-changes operations string-replace" ;;
	apply,*,--format=*) __gitcomp "envelope unified search-replace file-changes operations string-replace" "" "${cur#*=}" ;;
	apply,--directory,*) compopt -o dirnames ;;
	apply,--only,*) __gitcomp "$(__git_opatch_hunks)" ;;
	apply,--except,*) __gitcomp "$(__git_opatch_hunks)" ;;
	apply,--match,*) __gitcomp "strict resilient fuzzy" ;;
	apply,*,--match=*) __gitcomp "strict resilient fuzzy" "" "${cur#*=}" ;;
	apply,--ambiguous,*) __gitcomp "refuse nearest" ;;
	apply,*,--ambiguous=*) __gitcomp "refuse nearest" "" "${cur#*=}" ;;
	apply,--allow,*) __git_complete_index_file "--cached" ;;
	apply,--deny,*) __git_complete_index_file "--cached" ;;
	apply,--expect,*) __git_complete_index_file "--cached" ;;
	apply,--root,*) compopt -o dirnames ;;
	show,--format,*) __gitcomp "envelope unified search-replace file-changes operations string-replace" ;;
	show,*,--format=*) __gitcomp "envelope unified search-replace file-changes operations string-replace" "" "${cur#*=}" ;;
	show,--directory,*) compopt -o dirnames ;;
	show,--only,*) __gitcomp "$(__git_opatch_hunks)" ;;
	show,--except,*) __gitcomp "$(__git_opatch_hunks)" ;;
	show,--match,*) __gitcomp "strict resilient fuzzy" ;;
	show,*,--match=*) __gitcomp "strict resilient fuzzy" "" "${cur#*=}" ;;
	show,--ambiguous,*) __gitcomp "refuse nearest" ;;
	show,*,--ambiguous=*) __gitcomp "refuse nearest" "" "${cur#*=}" ;;
	show,--allow,*) __git_complete_index_file "--cached" ;;
	show,--deny,*) __git_complete_index_file "--cached" ;;
	show,--expect,*) __git_complete_index_file "--cached" ;;
	show,--root,*) compopt -o dirnames ;;
	show,--base,*) __git_complete_refs ;;
	check,--format,*) __gitcomp "envelope unified search-replace file-changes operations string-replace" ;;
	check,*,--format=*) __gitcomp "envelope unified search-replace file-changes operations string-replace" "" "${cur#*=}" ;;
	check,--directory,*) compopt -o dirnames ;;
	check,--only,*) __gitcomp "$(__git_opatch_hunks)" ;;
	check,--except,*) __gitcomp "$(__git_opatch_hunks)" ;;
	check,--match,*) __gitcomp "strict resilient fuzzy" ;;
	check,*,--match=*) __gitcomp "strict resilient fuzzy" "" "${cur#*=}" ;;
	check,--ambiguous,*) __gitcomp "refuse nearest" ;;
	check,*,--ambiguous=*) __gitcomp "refuse nearest" "" "${cur#*=}" ;;
	check,--allow,*) __git_complete_index_file "--cached" ;;
	check,--deny,*) __git_complete_index_file "--cached" ;;
	check,--expect,*) __git_complete_index_file "--cached" ;;
	check,--root,*) compopt -o dirnames ;;
	check,--base,*) __git_complete_refs ;;
	convert,--format,*) __gitcomp "envelope unified search-replace file-changes operations string-replace" ;;
	convert,*,--format=*) __gitcomp "envelope unified search-replace file-changes operations string-replace" "" "${cur#*=}" ;;
	convert,--directory,*) compopt -o dirnames ;;
	convert,--only,*) __gitcomp "$(__git_opatch_hunks)" ;;
	convert,--except,*) __gitcomp "$(__git_opatch_hunks)" ;;
	convert,--match,*) __gitcomp "strict resilient fuzzy" ;;
	convert,*,--match=*) __gitcomp "strict resilient fuzzy" "" "${cur#*=}" ;;
	convert,--ambiguous,*) __gitcomp "refuse nearest" ;;
	convert,*,--ambiguous=*) __gitcomp "refuse nearest" "" "${cur#*=}" ;;
	convert,--allow,*) __git_complete_index_file "--cached" ;;
	convert,--deny,*) __git_complete_index_file "--cached" ;;
	convert,--expect,*) __git_complete_index_file "--cached" ;;
	convert,--root,*) compopt -o dirnames ;;
	convert,--base,*) __git_complete_refs ;;
	create,--format,*) __gitcomp "envelope unified search-replace file-changes operations string-replace" ;;
	create,*,--format=*) __gitcomp "envelope unified search-replace file-changes operations string-replace" "" "${cur#*=}" ;;
	leftovers,--allow,*) __git_complete_index_file "--cached" ;;
	agent-hook,--allow,*) __git_complete_index_file "--cached" ;;
	agent-hook,--deny,*) __git_complete_index_file "--cached" ;;
	mcp,--root,*) compopt -o dirnames ;;
	mcp,--allow,*) __git_complete_index_file "--cached" ;;
	mcp,--deny,*) __git_complete_index_file "--cached" ;;
	prompt,--format,*) __gitcomp "envelope unified search-replace file-changes operations string-replace" ;;
	prompt,*,--format=*) __gitcomp "envelope unified search-replace file-changes operations string-replace" "" "${cur#*=}" ;;
	prompt,--grammar,*) __gitcomp "lark gbnf" ;;
	prompt,*,--grammar=*) __gitcomp "lark gbnf" "" "${cur#*=}" ;;
	batch,--engine,*) __gitcomp "local ray" ;;
	batch,*,--engine=*) __gitcomp "local ray" "" "${cur#*=}" ;;
	batch,--repositories,*) compopt -o dirnames ;;
	,*,-*) __gitcomp "--help --version" ;;
	,*) __gitcomp "$commands" ;;
	apply,*,-*) __gitcomp "--format --directory --overwrite --only --except --match --ambiguous --3way --allow --deny --expect --max-files --root --index --cached --worktree --carry --skip-applied --partial --reject --commit --message --reverse --patch --interactive --check --dry-run --clipboard --quiet --verbose --json --help" ;;
	show,*,-*) __gitcomp "--format --directory --overwrite --only --except --match --ambiguous --3way --allow --deny --expect --max-files --root --base --worktree --html --output --open --hunks --reverse --color --json --help" ;;
	undo,*,-*) __gitcomp "--index --cached --worktree --carry --quiet --json --help" ;;
	redo,*,-*) __gitcomp "--index --cached --worktree --carry --quiet --json --help" ;;
	log,*,-*) __gitcomp "--patch --max-count --color --json --help" ;;
	check,*,-*) __gitcomp "--format --directory --overwrite --only --except --match --ambiguous --3way --allow --deny --expect --max-files --root --base --worktree --html --output --open --argv --skip-applied --quiet --verbose --json --help" ;;
	convert,*,-*) __gitcomp "--format --directory --overwrite --only --except --match --ambiguous --3way --allow --deny --expect --max-files --root --base --worktree --output --reverse --json --help" ;;
	create,*,-*) __gitcomp "--format --context --cached --output --help" ;;
	leftovers,*,-*) __gitcomp "--all --allow --help" ;;
	install-agent,*,-*) __gitcomp "--project --user --check --remove --yes --help" ;;
	recover,*,-*) __gitcomp "--json --help" ;;
	demo,*,-*) __gitcomp "--help" ;;
	agent-hook,*,-*) __gitcomp "--allow --deny --help" ;;
	apply-patch,*,-*) __gitcomp "--help" ;;
	mcp,*,-*) __gitcomp "--index --cached --worktree --carry --root --allow --deny --max-files --help" ;;
	prompt,*,-*) __gitcomp "--format --grammar --help" ;;
	batch,*,-*) __gitcomp "--output --jobs --engine --address --diff --tree --html --quiet --repositories --help" ;;
	undo,*,*) __git_has_doubledash || __gitcomp "$(git opatch log 2>/dev/null | awk '$5 ~ /^(applied|changed)/ {print $1}')" ;;
	redo,*,*) __git_has_doubledash || __gitcomp "$(git opatch log 2>/dev/null | awk '$5 == "undone" || $6 ~ /^undone/ {print $1}')" ;;
	log,*,*) __gitcomp "$(git opatch log 2>/dev/null | awk '{print $1}')" ;;
	create,*,*) __git_has_doubledash || __git_complete_revlist ;;
	esac
}
