/** Data in files and on terminals. */
@NullMarked
package dev.millrace.cli.io;

import org.jspecify.annotations.NullMarked;
