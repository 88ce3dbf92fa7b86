//! Finds the assembler, and runs it on the lines of a file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// How long the assembler may take for a file.
const LONGEST: Duration = Duration::from_secs(120);

pub(crate) struct Oracle {
    path: PathBuf,
}

/// What the assembler says about a file.
pub(crate) enum Verdict {
    Accepts,
    /// The first error.
    Rejects(String),
    /// Nothing, and why: it does not have the target, or did not end in time.
    Unknown(String),
}

impl Oracle {
    /// The assembler at `path`, or else in the environment variable, in `.oracle`, or on the path.
    pub(crate) fn find(path: Option<PathBuf>) -> Result<Oracle> {
        let named = path.or_else(|| std::env::var_os("WARPLENS_PTXAS").map(PathBuf::from));
        let local = Some(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.oracle/ptxas-13"))
            .filter(|path| path.exists());
        let path = named.or(local).unwrap_or_else(|| PathBuf::from("ptxas"));
        let runs = Command::new(&path).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        match runs {
            Ok(status) if status.success() => Ok(Oracle { path }),
            _ => bail!(
                "no ptxas: set WARPLENS_PTXAS, or put it at .oracle/ptxas-13 (docs/measurements.md names the package)"
            ),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The assembler's message for each line between a valid head and a valid tail; `None` if it accepts the line.
    ///
    /// The assembler works in phases and stops after the first phase with an error, so rejected lines are removed and the others
    /// are assembled again. A few statements cause an error in a line of the head; bisection finds them.
    pub(crate) fn ask(
        &self,
        head: &str,
        lines: &[String],
        tail: &str,
        target: &str,
    ) -> Result<Vec<Option<String>>> {
        let first = head.matches('\n').count() + 1;
        let mut verdicts = vec![None; lines.len()];
        loop {
            let kept =
                lines.iter().zip(&verdicts).map(|(line, verdict): (_, &Option<String>)| match verdict {
                    None => line.as_str(),
                    Some(_) => "",
                });
            let body: Vec<&str> = kept.collect();
            let errors = self.errors(&format!("{head}{}\n{tail}", body.join("\n")), target)?;
            if errors.is_empty() {
                return Ok(verdicts);
            }
            for (line, message) in errors {
                let verdict = line.checked_sub(first).and_then(|index| verdicts.get_mut(index));
                match (verdict, lines) {
                    (Some(verdict @ None), _) => *verdict = Some(message),
                    (_, []) => bail!("ptxas rejects line {line}, which is not a statement: {message}"),
                    (_, [_]) => return Ok(vec![Some(message)]),
                    (_, lines) => {
                        let (before, after) = lines.split_at(lines.len() / 2);
                        let mut verdicts = self.ask(head, before, tail, target)?;
                        verdicts.extend(self.ask(head, after, tail, target)?);
                        return Ok(verdicts);
                    }
                }
            }
        }
    }

    /// Assembles a file for its own target. Functions may be missing, as in a library.
    pub(crate) fn judge(&self, file: &Path, target: Option<&str>) -> Result<Verdict> {
        let folder = tempfile::tempdir()?;
        let (object, messages) = (folder.path().join("object"), folder.path().join("messages"));
        let mut child = Command::new(&self.path)
            .args(["--compile-only", "-arch", target.unwrap_or("sm_90"), "-o"])
            .args([object.as_path(), file])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(&messages)?)
            .spawn()
            .with_context(|| format!("cannot run {}", self.path.display()))?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > LONGEST {
                child.kill()?;
                child.wait()?;
                return Ok(Verdict::Unknown(format!("ptxas took more than {} s", LONGEST.as_secs())));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let messages = String::from_utf8_lossy(&std::fs::read(&messages)?).into_owned();
        let is_error = |line: &&str| line.contains("error   :") || line.contains("fatal   :");
        let first = messages.lines().find(is_error).unwrap_or_default();
        Ok(match status.code() {
            Some(0) => Verdict::Accepts,
            _ if first.contains("'gpu-name'") => Verdict::Unknown(first.to_owned()),
            None => Verdict::Unknown(format!("ptxas ended with {status}")),
            Some(_) => Verdict::Rejects(first.to_owned()),
        })
    }

    /// The first error on each line. Line 0 is for errors without a line.
    fn errors(&self, text: &str, target: &str) -> Result<BTreeMap<usize, String>> {
        let arch = target.replace("sm_", "compute_");
        let mut child = Command::new(&self.path)
            .args(["-arch", &arch, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", self.path.display()))?;
        child.stdin.take().context("no standard input")?.write_all(text.as_bytes())?;
        let output = child.wait_with_output()?;
        let mut errors = BTreeMap::new();
        let output_text = String::from_utf8_lossy(&output.stderr);
        for (line, message) in output_text.lines().filter_map(error) {
            errors.entry(line).or_insert_with(|| message.to_owned());
        }
        if errors.is_empty() && !output.status.success() {
            // It crashed, or reported an error without a line.
            errors.insert(0, output_text.trim().to_owned());
        }
        Ok(errors)
    }
}

/// The line and message of `ptxas FILE, line N; error   : MESSAGE`.
fn error(line: &str) -> Option<(usize, &str)> {
    let (position, message) = line.split_once(" : ")?;
    let (position, severity) = position.rsplit_once("; ")?;
    matches!(severity.trim(), "error" | "fatal").then_some(())?;
    let (_, number) = position.rsplit_once(", line ")?;
    Some((number.parse().ok()?, message.trim()))
}
