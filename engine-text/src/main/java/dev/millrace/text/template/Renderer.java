package dev.millrace.text.template;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Renders statements: one rendering of a template. Not for several threads. */
final class Renderer {
    /** The continuation after a statement: the next statement, the end of the loop, or its next item. */
    private enum Flow {
        NEXT,
        BREAK,
        CONTINUE
    }

    private final Source source;
    private final Steps steps;
    private final Evaluator evaluator;
    private StringBuilder out = new StringBuilder();

    Renderer(Source source, Steps steps) {
        this.source = source;
        this.steps = steps;
        this.evaluator = new Evaluator(source, steps);
    }

    /** Renders a body apart from the output so far, and returns its text. */
    String text(List<Statement> body, VariableScope scope) {
        StringBuilder outer = out;
        out = new StringBuilder();
        try {
            render(body, scope);
            return out.toString();
        } finally {
            out = outer;
        }
    }

    private void write(String text) {
        steps.requireLength((long) out.length() + text.length());
        steps.chars(text.length());
        out.append(text);
    }

    private Flow render(List<Statement> body, VariableScope scope) {
        steps.enter();
        try {
            for (Statement statement : body) {
                steps.spend(1);
                Flow flow = render(statement, scope);
                if (flow != Flow.NEXT) {
                    return flow;
                }
            }
            return Flow.NEXT;
        } finally {
            steps.leave();
        }
    }

    private Flow render(Statement statement, VariableScope scope) {
        switch (statement) {
            case Statement.Text text -> write(text.text());
            case Statement.Print print -> print(print.expression(), scope);
            case Statement.If choice -> {
                return branch(choice, scope);
            }
            case Statement.For loop -> loop(loop, scope);
            case Statement.Leave leave -> {
                return leave.continues() ? Flow.CONTINUE : Flow.BREAK;
            }
            case Statement.Set set -> assign(set.target(), evaluator.value(set.value(), scope), scope);
            case Statement.SetBlock set ->
                assign(
                        set.target(),
                        evaluator.after(text(set.body(), new VariableScope(scope)), set.filters(), scope),
                        scope);
            case Statement.FilterBlock block -> {
                String body = text(block.body(), new VariableScope(scope));
                write(Texts.text(evaluator.after(body, block.filters(), scope), steps));
            }
            case Statement.Scoped block -> {
                return render(block.body(), new VariableScope(scope));
            }
            case Statement.Macro macro -> scope.set(macro.name(), new Macro(macro, scope, this, evaluator));
            case Statement.CallBlock call -> callBlock(call, scope);
        }
        return Flow.NEXT;
    }

    private void print(TemplateExpression expression, VariableScope scope) {
        Object value = evaluator.value(expression, scope);
        try {
            write(Texts.text(value, steps));
        } catch (Failure e) {
            throw source.error(expression.at(), e.what());
        }
    }

    private Flow branch(Statement.If choice, VariableScope scope) {
        for (Statement.Branch branch : choice.branches()) {
            if (branch.condition() == null || evaluator.isTrue(branch.condition(), scope)) {
                return render(branch.body(), scope);
            }
        }
        return Flow.NEXT;
    }

    private void loop(Statement.For loop, VariableScope scope) {
        List<? extends @Nullable Object> items = items(loop, scope);
        if (items.isEmpty()) {
            render(loop.otherwise(), new VariableScope(scope));
            return;
        }
        var state = new LoopState(items);
        for (Object item : items) {
            state.advance();
            var inner = new VariableScope(scope);
            inner.set("loop", state);
            assign(loop.target(), item, inner);
            if (render(loop.body(), inner) == Flow.BREAK) {
                break;
            }
        }
    }

    private List<? extends @Nullable Object> items(Statement.For loop, VariableScope scope) {
        Object value = evaluator.value(loop.items(), scope);
        List<? extends @Nullable Object> items;
        try {
            items = Sequences.elements(value, steps);
        } catch (Failure e) {
            throw source.error(loop.items().at(), e.what());
        }
        if (loop.condition() == null) {
            return items;
        }
        var kept = new ArrayList<@Nullable Object>();
        for (Object item : items) {
            var inner = new VariableScope(scope);
            assign(loop.target(), item, inner);
            if (evaluator.isTrue(loop.condition(), inner)) {
                kept.add(item);
            }
        }
        return kept;
    }

    private void assign(Statement.Target target, @Nullable Object value, VariableScope scope) {
        switch (target) {
            case Statement.Variable variable -> scope.set(variable.name(), value);
            case Statement.Field field -> {
                if (!(scope.get(field.namespace()) instanceof Namespace namespace)) {
                    throw error(target, "'" + field.namespace() + "' is no namespace, so its attributes cannot be set");
                }
                namespace.attributes().put(field.name(), value);
            }
            case Statement.Several several -> {
                List<? extends @Nullable Object> values;
                try {
                    values = Sequences.elements(value, steps);
                } catch (Failure e) {
                    throw error(target, e.what());
                }
                if (values.size() != several.targets().size()) {
                    throw error(
                            target,
                            values.size() + " values go to " + several.targets().size() + " variables");
                }
                for (int i = 0; i < values.size(); i++) {
                    assign(several.targets().get(i), values.get(i), scope);
                }
            }
        }
    }

    private EngineException error(Statement.Target target, String what) {
        return source.error(target.at(), what);
    }

    private void callBlock(Statement.CallBlock call, VariableScope scope) {
        try {
            Arguments arguments = evaluator.arguments(call.passed(), scope);
            arguments.named().put("caller", new Macro(call.caller(), scope, this, evaluator));
            write(Texts.text(evaluator.call(evaluator.value(call.callee(), scope), arguments), steps));
        } catch (Failure e) {
            throw source.error(call.at(), e.what());
        }
    }
}
