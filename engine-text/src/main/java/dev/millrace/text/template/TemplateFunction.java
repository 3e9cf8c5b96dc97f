package dev.millrace.text.template;

import org.jspecify.annotations.Nullable;

/** A value that can be called: a macro, a method of a value, or a global function. */
interface TemplateFunction {
    @Nullable
    Object call(Arguments arguments, Steps steps);
}
