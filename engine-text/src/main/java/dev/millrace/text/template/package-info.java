/** An interpreter of chat templates: a subset of Jinja 3, bounded in steps, depth and memory. */
@NullMarked
package dev.millrace.text.template;

import org.jspecify.annotations.NullMarked;
