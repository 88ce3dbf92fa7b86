-- A session of a Neovim user: open a file, attach the server, send requests, edit. The answers are written as lines.
-- Run by tests/neovim.rs: nvim --headless --clean -n -c 'luafile session.lua', with the server and the file in the environment.
-- Written for Neovim 0.7 (Debian 12), so without vim.lsp.inlay_hint: hints are requested, not drawn.

local server = assert(os.getenv('WARPLENS_SERVER'))
local output = assert(io.open(assert(os.getenv('WARPLENS_OUTPUT')), 'w'))
local patience = 20000

local function say(text)
  output:write(text, '\n')
end

local function first_line(text)
  return (text:gsub('\n.*', ''))
end

local function ask(method, params)
  params.textDocument = { uri = vim.uri_from_bufnr(0) }
  local answers = assert(vim.lsp.buf_request_sync(0, method, params, patience))
  for _, answer in pairs(answers) do
    assert(not answer.err, vim.inspect(answer.err))
    return answer.result
  end
  error('no server answers ' .. method)
end

-- The position of `word` in the first line that holds `part`; both are plain text.
local function position(part, word)
  for number, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local from = line:find(part, 1, true)
    if from then
      return { line = number - 1, character = line:find(word, from, true) - 1 }
    end
  end
  error('the file has no line with ' .. part)
end

local function session()
  vim.cmd('edit ' .. vim.fn.fnameescape(assert(os.getenv('WARPLENS_FILE'))))
  vim.bo.filetype = 'ptx'
  local client = vim.lsp.start_client({
    cmd = { server, 'lsp' },
    name = 'warplens',
    root_dir = vim.fn.getcwd(),
    get_language_id = function() return 'ptx' end,
  })
  vim.lsp.buf_attach_client(0, client)
  assert(vim.wait(patience, function() return vim.lsp.get_client_by_id(client).server_capabilities ~= nil end))
  vim.wait(200)

  local hover = ask('textDocument/hover', { position = position('@%p1 bra', 'bra') })
  say('hover: ' .. first_line(hover.contents.value))

  local target = ask('textDocument/definition', { position = position('@%p1 bra', 'EVEN') })
  local location = target[1] or target
  local range = location.targetSelectionRange or location.range
  say('definition of the label: line ' .. (range.start.line + 1))

  local lenses = ask('textDocument/codeLens', {})
  say('lenses: ' .. #lenses .. ', command ' .. lenses[1].command.command)
  local lens = lenses[1].command
  vim.lsp.buf_request_sync(0, 'workspace/executeCommand', { command = lens.command, arguments = lens.arguments }, patience)
  ask('warplens/laneMasks', {})
  local whole = { start = { line = 0, character = 0 }, ['end'] = { line = vim.fn.line('$'), character = 0 } }
  for _, hint in ipairs(ask('textDocument/inlayHint', { range = whole })) do
    local label = type(hint.label) == 'string' and hint.label or hint.label[1].value
    say(string.format('lanes at line %d: %s', hint.position.line + 1, label))
  end

  vim.api.nvim_buf_set_lines(0, -1, -1, false, { '.visible .entry broken() { frob.u32 %r1; }' })
  local function errors() return vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) end
  assert(vim.wait(patience, function() return #errors() > 0 end), 'no errors were reported')
  for _, diagnostic in ipairs(errors()) do
    say('error: ' .. diagnostic.message)
  end
end

local ok, problem = pcall(session)
if not ok then say('FAILED: ' .. tostring(problem)) end
output:close()
vim.cmd('qall!')
