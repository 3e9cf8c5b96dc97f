/// The command line.
@NullMarked
package dev.millrace.cli;

import org.jspecify.annotations.NullMarked;
