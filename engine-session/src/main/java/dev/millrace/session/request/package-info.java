/** One request on its way: checks, streams over what starts runs, results, its one end. */
@NullMarked
package dev.millrace.session.request;

import org.jspecify.annotations.NullMarked;
