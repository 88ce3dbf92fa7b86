;;; session.el --- A session of an Emacs user  -*- lexical-binding: t -*-
;; Opens a file with the recipe of docs/editors.md, waits for diagnostics, and runs a launch as a code action.
;; The answers are written as lines. Run by tests/emacs.rs: emacs --batch --load session.el, with the recipe, the file
;; and the output in the environment. Written for eglot 1.9 (Debian 12), which draws no inlay hints: they are requested.

(require 'package)
(package-initialize)
(require 'eglot)
(require 'flymake)

(defvar patience 20)

(defun say (text &rest values)
  (let ((line (apply #'format text values)))
    (write-region (concat line "\n") nil (getenv "WARPLENS_OUTPUT") t 'silent)))

(defun wait-for (what condition)
  (let ((end (+ (float-time) patience)) (answer nil))
    (while (and (not (setq answer (funcall condition))) (< (float-time) end))
      (accept-process-output nil 0.1))
    (or answer (error "timeout: %s" what))))

(defun diagnostics ()
  (flymake-start nil nil)
  (flymake-diagnostics))

(defun first-line (text)
  (car (split-string text "\n")))

(defun ask (method &rest params)
  (jsonrpc-request (eglot-current-server) method
                   (append (list :textDocument (eglot--TextDocumentIdentifier)) params)
                   :timeout patience))

(defun action-at (part title)
  "The first code action after PART whose title begins with TITLE."
  (goto-char (point-min))
  (search-forward part)
  (let ((actions (append (eglot-code-actions (point) (point)) nil)))
    (or (seq-find (lambda (action) (string-prefix-p title (plist-get action :title))) actions)
        (error "no action %s in %S" title actions))))

(defun session ()
  (find-file (getenv "WARPLENS_FILE"))
  (say "mode: %s" major-mode)
  ;; What the command loop does after a command.
  (run-hooks 'post-command-hook)
  (wait-for "the server is connected" #'eglot-current-server)

  (dolist (diagnostic (wait-for "diagnostics" #'diagnostics))
    (say "line %d: %s" (line-number-at-pos (flymake-diagnostic-beg diagnostic))
         (first-line (flymake-diagnostic-text diagnostic))))
  (let ((fix (action-at "%tidx" "Replace")))
    (say "fix: %s" (plist-get fix :title))
    (eglot--apply-workspace-edit (plist-get fix :edit))
    (say "fixed: %s" (string-trim (thing-at-point 'line t))))

  (let* ((run (action-at ".entry" "Simulate"))
         (command (plist-get run :command)))
    (say "launch: %s" (plist-get run :title))
    (eglot-execute-command (eglot-current-server) (intern (plist-get command :command))
                           (plist-get command :arguments)))
  (let ((masks (wait-for "lanes" (lambda () (ask :warplens/laneMasks)))))
    (say "run: %s" (plist-get masks :status)))
  (let ((whole (list :start (list :line 0 :character 0) :end (list :line (line-number-at-pos (point-max)) :character 0))))
    (dolist (hint (append (ask :textDocument/inlayHint :range whole) nil))
      (let ((label (plist-get hint :label)))
        (say "lanes at line %d: %s" (1+ (plist-get (plist-get hint :position) :line))
             (if (stringp label) label (plist-get (aref label 0) :value)))))))

(let ((debug-on-error nil))
  (load (getenv "WARPLENS_RECIPE"))
  (condition-case problem
      (session)
    (error (say "FAILED: %S" problem)))
  (kill-emacs 0))
;;; session.el ends here
