# Completion of `git opatch` for bash, called by that of git; written by manual/make.py.

_git_opatch ()
{
	local commands="apply check convert show undo log recover prompt leftovers agent-hook demo"
	local command="$(__git_find_on_cmdline "$commands")"
	case "$command,$prev,$cur" in
	apply,--directory,*) compopt -o dirnames ;;
	apply,--dialect,*) __gitcomp "envelope unified search-replace file-changes operations" ;;
	apply,*,--dialect=*) __gitcomp "envelope unified search-replace file-changes operations" "" "${cur#*=}" ;;
	apply,--match,*) __gitcomp "strict resilient fuzzy" ;;
	apply,*,--match=*) __gitcomp "strict resilient fuzzy" "" "${cur#*=}" ;;
	apply,--ambiguous,*) __gitcomp "refuse nearest" ;;
	apply,*,--ambiguous=*) __gitcomp "refuse nearest" "" "${cur#*=}" ;;
	check,--base,*) __git_complete_refs ;;
	check,--directory,*) compopt -o dirnames ;;
	check,--dialect,*) __gitcomp "envelope unified search-replace file-changes operations" ;;
	check,*,--dialect=*) __gitcomp "envelope unified search-replace file-changes operations" "" "${cur#*=}" ;;
	check,--match,*) __gitcomp "strict resilient fuzzy" ;;
	check,*,--match=*) __gitcomp "strict resilient fuzzy" "" "${cur#*=}" ;;
	check,--ambiguous,*) __gitcomp "refuse nearest" ;;
	check,*,--ambiguous=*) __gitcomp "refuse nearest" "" "${cur#*=}" ;;
	convert,--base,*) __git_complete_refs ;;
	convert,--directory,*) compopt -o dirnames ;;
	convert,--dialect,*) __gitcomp "envelope unified search-replace file-changes operations" ;;
	convert,*,--dialect=*) __gitcomp "envelope unified search-replace file-changes operations" "" "${cur#*=}" ;;
	convert,--match,*) __gitcomp "strict resilient fuzzy" ;;
	convert,*,--match=*) __gitcomp "strict resilient fuzzy" "" "${cur#*=}" ;;
	convert,--ambiguous,*) __gitcomp "refuse nearest" ;;
	convert,*,--ambiguous=*) __gitcomp "refuse nearest" "" "${cur#*=}" ;;
	show,--base,*) __git_complete_refs ;;
	show,--directory,*) compopt -o dirnames ;;
	show,--dialect,*) __gitcomp "envelope unified search-replace file-changes operations" ;;
	show,*,--dialect=*) __gitcomp "envelope unified search-replace file-changes operations" "" "${cur#*=}" ;;
	show,--match,*) __gitcomp "strict resilient fuzzy" ;;
	show,*,--match=*) __gitcomp "strict resilient fuzzy" "" "${cur#*=}" ;;
	show,--ambiguous,*) __gitcomp "refuse nearest" ;;
	show,*,--ambiguous=*) __gitcomp "refuse nearest" "" "${cur#*=}" ;;
	prompt,--dialect,*) __gitcomp "envelope unified search-replace file-changes operations" ;;
	prompt,*,--dialect=*) __gitcomp "envelope unified search-replace file-changes operations" "" "${cur#*=}" ;;
	,*,-*) __gitcomp "--help --version" ;;
	,*) __gitcomp "$commands" ;;
	apply,*,-*) __gitcomp "--index --cached --worktree --carry --check --dry-run --reverse --directory --overwrite --dialect --match --ambiguous --fuzz --3way --skip-applied --partial --reject --allow --deny --expect --wait --quiet --verbose --json --commit --message --file --trailer --author --date --help" ;;
	check,*,-*) __gitcomp "--argv --base --worktree --directory --overwrite --dialect --match --ambiguous --fuzz --3way --skip-applied --allow --deny --expect --quiet --json --help" ;;
	convert,*,-*) __gitcomp "--output --reverse --base --worktree --directory --overwrite --dialect --match --ambiguous --fuzz --3way --allow --deny --expect --json --help" ;;
	show,*,-*) __gitcomp "--stat --numstat --name-only --name-status --reverse --base --worktree --directory --overwrite --dialect --match --ambiguous --fuzz --3way --allow --deny --expect --json --help" ;;
	undo,*,-*) __gitcomp "--index --cached --worktree --carry --wait --quiet --json --help" ;;
	log,*,-*) __gitcomp "--patch --max-count --json --help" ;;
	recover,*,-*) __gitcomp "--wait --json --help" ;;
	prompt,*,-*) __gitcomp "--dialect --help" ;;
	leftovers,*,-*) __gitcomp "--allow --help" ;;
	agent-hook,*,-*) __gitcomp "--allow --deny --help" ;;
	demo,*,-*) __gitcomp "--help" ;;
	esac
}
