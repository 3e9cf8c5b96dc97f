/** Sessions and graphs, to be looked at. */
@NullMarked
package dev.millrace.cli.show;

import org.jspecify.annotations.NullMarked;
