/** Presentation of sessions, graphs, compiled models and the machine: as text, JSON and HTML pages. */
@NullMarked
package dev.millrace.cli.show;

import org.jspecify.annotations.NullMarked;
