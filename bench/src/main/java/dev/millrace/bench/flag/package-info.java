/** Flags that several commands have. */
@NullMarked
package dev.millrace.bench.flag;

import org.jspecify.annotations.NullMarked;
