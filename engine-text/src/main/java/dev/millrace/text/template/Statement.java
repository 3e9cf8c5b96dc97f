package dev.millrace.text.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement of a template. */
sealed interface Statement {
    record Text(String text) implements Statement {}

    record Print(TemplateExpression expression) implements Statement {}

    /** The body of the first branch whose condition holds; a condition of null always does. */
    record If(List<Branch> branches) implements Statement {}

    record Branch(@Nullable TemplateExpression condition, List<Statement> body) {}

    record For(
            int at,
            Target target,
            TemplateExpression items,
            @Nullable TemplateExpression condition,
            List<Statement> body,
            List<Statement> otherwise)
            implements Statement {}

    record Leave(boolean continues) implements Statement {}

    record Set(int at, Target target, TemplateExpression value) implements Statement {}

    /** A block whose text, after the filters, is the value of a variable. */
    record SetBlock(int at, Target target, List<TemplateExpression.Step> filters, List<Statement> body)
            implements Statement {}

    record FilterBlock(int at, List<TemplateExpression.Step> filters, List<Statement> body) implements Statement {}

    /** A body with variables of its own. */
    record Scoped(List<Statement> body) implements Statement {}

    record Macro(int at, String name, List<Parameter> parameters, List<Statement> body) implements Statement {}

    /** A call of a macro that may call the body as {@code caller}. */
    record CallBlock(int at, Macro caller, TemplateExpression callee, TemplateExpression.Passed passed)
            implements Statement {}

    record Parameter(String name, @Nullable TemplateExpression otherwise) {}

    /** A place that a value is assigned to. */
    sealed interface Target {
        int at();
    }

    record Variable(int at, String name) implements Target {}

    record Field(int at, String namespace, String name) implements Target {}

    record Several(int at, List<Target> targets) implements Target {}
}
