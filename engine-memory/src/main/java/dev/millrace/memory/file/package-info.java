/** Files that nobody but this user writes. */
@NullMarked
package dev.millrace.memory.file;

import org.jspecify.annotations.NullMarked;
