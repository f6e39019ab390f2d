// git-opatch: judges the calls of apply_patch, the shell and the editing tools of OpenCode.
// `git opatch install-agent opencode` writes this file, with the program's path, and removes it.
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { resolve as join } from "node:path"

const PROGRAM = ["git-opatch"]
const FILES = ["edit", "write"]
const TOOLS = ["apply_patch", "patch", "bash", "multiedit", ...FILES]

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

// Whether paths are allowed or denied by a setting; if that cannot be told, they may be.
const hasPolicy = (directory) =>
  new Promise((resolve) => {
    const words = ["config", "--get-regexp", "^opatch\\.(allow|deny)$"]
    const git = spawn("git", words, { cwd: directory, stdio: "ignore" })
    git.on("error", () => resolve(true))
    git.on("close", (status) => resolve(status !== 1))
  })

// Whether an edit needs no judge: its old string is in the file once, where all is plain text.
const isPlain = async (directory, { filePath, oldString, replaceAll }) => {
  const text = await readFile(join(directory, `${filePath}`), "utf8").catch(() => "")
  const at = text.indexOf(oldString)
  return !replaceAll && !/[\r\ufeff\ufffd]/.test(text) && at >= 0 && at === text.lastIndexOf(oldString)
}

const judgeIn = (directory) => async (input, output) => {
  if (!TOOLS.includes(input.tool)) return
  if (FILES.includes(input.tool) && !(await hasPolicy(directory))) {
    if (input.tool !== "edit" || (await isPlain(directory, output.args))) return
  }
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
}

// OpenCode makes the calls of one answer at the same time. What one is judged by must not be changed
// by another: each that writes files waits until the one before has ended, or for a minute.
const WAIT = 60000
const ENDED = ["completed", "error"]

const turns = () => {
  const ends = new Map()
  let last = Promise.resolve()
  return {
    begin: async (id) => {
      const before = last
      let end
      last = new Promise((resolve) => (end = resolve))
      await before
      const timer = setTimeout(end, WAIT)
      ends.set(id, () => (clearTimeout(timer), end()))
    },
    end: (id) => {
      ends.get(id)?.()
      ends.delete(id)
    },
  }
}

export const GitOpatch = async ({ directory }) => {
  const writers = turns()
  const judge = judgeIn(directory)
  return {
    event: async ({ event }) => {
      const part = event.type === "message.part.updated" ? event.properties.part : {}
      if (part.type === "tool" && ENDED.includes(part.state?.status)) writers.end(part.callID)
    },
    "tool.execute.before": async (input, output) => {
      if (![...FILES, "apply_patch"].includes(input.tool)) return judge(input, output)
      await writers.begin(input.callID)
      await judge(input, output).catch((error) => {
        writers.end(input.callID)
        throw error
      })
    },
  }
}
