/** Rules that hold over the sources, the build and the documents of all modules. */
@NullMarked
package dev.millrace.bench.structure;

import org.jspecify.annotations.NullMarked;
