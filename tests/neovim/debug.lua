-- A session of a Neovim user with nvim-dap, set up as docs/editors.md says. The answers are written as lines.
-- Run by tests/neovim.rs: nvim --headless --clean -n -c 'luafile debug.lua', with the plugin, the recipe and the file in the environment.

local output = assert(io.open(assert(os.getenv('WARPLENS_OUTPUT')), 'w'))
local patience = 20000

local function say(text)
  output:write(text, '\n')
end

local function session()
  vim.opt.runtimepath:append(assert(os.getenv('WARPLENS_NVIM_DAP')))
  dofile(assert(os.getenv('WARPLENS_RECIPE')))
  local dap = require('dap')
  local stop
  dap.listeners.after.event_stopped['test'] = function(_, body) stop = body end

  local function ask(command, arguments)
    local answer
    dap.session():request(command, arguments, function(err, body) answer = { err = err, body = body } end)
    assert(vim.wait(patience, function() return answer ~= nil end), 'no answer to ' .. command)
    assert(not answer.err, vim.inspect(answer.err))
    return answer.body
  end

  -- Waits for the stop after a move, and for nvim-dap to have shown its frame.
  local function moved(name, move)
    stop = nil
    move()
    assert(vim.wait(patience, function()
      local session = dap.session()
      return stop ~= nil and session ~= nil and session.current_frame ~= nil
    end), 'no stop after ' .. name)
    vim.wait(100)
    local position = ask('warplens/position', {})
    say(string.format('%s: %s, step %d of %d, line %s', name, stop.reason, position.step, position.steps, tostring(position.line)))
  end

  vim.cmd('edit ' .. vim.fn.fnameescape(assert(os.getenv('WARPLENS_FILE'))))
  vim.bo.filetype = 'ptx'
  moved('continue', dap.continue)
  say('frame: ' .. dap.session().current_frame.name)

  vim.api.nvim_win_set_cursor(0, { 32, 0 })
  dap.set_breakpoint('lane == 12 && visit == 2')
  vim.wait(300)
  moved('to the breakpoint', dap.continue)
  say('sum: ' .. ask('evaluate', { expression = '%r3', context = 'hover' }).result)
  moved('step back', dap.step_back)
  moved('step over', dap.step_over)
  moved('reverse', dap.reverse_continue)
  local chain = ask('warplens/why', { threadId = 1, lane = 5, register = '%r1', step = 12 }).chain
  say('why: ' .. chain[1].text:gsub('%s+', ' ') .. ' = ' .. chain[1].value)
  dap.terminate()
  assert(vim.wait(patience, function() return dap.session() == nil end), 'the session does not end')
  say('ended')
end

local ok, problem = pcall(session)
if not ok then say('FAILED: ' .. tostring(problem)) end
output:close()
vim.cmd('qall!')
