/** What a pass is: it looks at nodes in a context and proposes patches. */
@NullMarked
package dev.millrace.graph.optimise.pass;

import org.jspecify.annotations.NullMarked;
