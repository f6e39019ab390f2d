// git-opatch: judges the calls of apply_patch, the shell and the editing tools of OpenCode.
// `git opatch install-agent opencode` writes this file, with the program's path, and removes it.
import { spawn } from "node:child_process"

const PROGRAM = ["git-opatch"]
const TOOLS = ["apply_patch", "patch", "bash", "edit", "multiedit", "write"]

const ask = (event) =>
  new Promise((resolve, reject) => {
    const hook = spawn(PROGRAM[0], [...PROGRAM.slice(1), "agent-hook"], { cwd: event.cwd })
    const out = [], err = []
    hook.stdout.on("data", (data) => out.push(data))
    hook.stderr.on("data", (data) => err.push(data))
    hook.stdin.on("error", () => {})
    hook.on("error", reject)
    hook.on("close", (status) => {
      if (status === 0) resolve(Buffer.concat(out).toString())
      else reject(new Error(Buffer.concat(err).toString() || `status ${status}`))
    })
    hook.stdin.end(JSON.stringify(event))
  })

export const GitOpatch = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    if (!TOOLS.includes(input.tool)) return
    const event = { hook_event_name: "tool.execute.before", cwd: directory, tool_name: input.tool,
                    tool_input: output.args }
    const text = await ask(event).catch((error) => {
      // A shell without judge is still of use; a patch without judge is what this is against.
      if (input.tool !== "apply_patch") return ""
      throw new Error(`git opatch could not judge the patch, so it was not applied: ${error.message}`)
    })
    if (!text) return
    const answer = JSON.parse(text)
    if (answer.deny) throw new Error(answer.deny)
    if (answer.args) Object.assign(output.args, answer.args)
  },
})
