/// The command line: one class for each command of {@code millrace}, and the flags that they share.
@NullMarked
package dev.millrace.cli;

import org.jspecify.annotations.NullMarked;
