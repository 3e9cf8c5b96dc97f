/// The command line: one class for each command of `millrace`, and the flags that they share.
@NullMarked
package dev.millrace.cli;

import org.jspecify.annotations.NullMarked;
