"""A patch in shell text (D65): `apply_patch <<'EOF'`, `bash -lc '…'`, `cd DIR && …`."""

_PATH = rb"(?:[./~][^\s'\"]{0,200}/)?"
NAME = _PATH + rb"apply[_-]?patch"
SHELL = _PATH + rb"(?:bash|sh|zsh|dash)"
KNOWN = rb"(?:cd|cat|echo|git|patch|printf|" + SHELL + rb"|" + NAME + rb")[ \t<]"
OTHER = (  # sentences begin with a capital letter, as commands hardly ever do
    rb"(?:[a-z_./~(]|(?=<<-?['\"\\\w])|[A-Z_][A-Z_0-9]*+=)"
    rb"(?:(?>[^\n]*?<<)-?[ \t]*+['\"\\\w]"
    rb"|[^\n]*?(?<!\w)apply[_-]?patch[ \t]+\$?['\"])"
)
HINT = rb"(?:[$#%][ \t]+)?(?:" + KNOWN + rb"|" + OTHER + rb")"
