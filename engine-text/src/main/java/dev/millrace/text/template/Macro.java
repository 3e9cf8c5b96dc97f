package dev.millrace.text.template;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A macro with the variables of the place where it is defined. */
final class Macro implements TemplateFunction {
    private static final String CALLER = "caller";

    private final Statement.Macro definition;
    private final VariableScope outer;
    private final Renderer renderer;
    private final Evaluator evaluator;

    Macro(Statement.Macro definition, VariableScope outer, Renderer renderer, Evaluator evaluator) {
        this.definition = definition;
        this.outer = outer;
        this.renderer = renderer;
        this.evaluator = evaluator;
    }

    @Override
    public Object call(Arguments arguments, Steps steps) {
        var scope = new VariableScope(outer);
        Map<String, @Nullable Object> named = new LinkedHashMap<>(arguments.named());
        Object caller = named.containsKey(CALLER) ? named.remove(CALLER) : Undefined.variable(CALLER);
        scope.set(CALLER, caller);
        List<String> names =
                definition.parameters().stream().map(Statement.Parameter::name).toList();
        Arguments given = new Arguments(arguments.positional(), named).bound(definition.name(), names);
        for (Statement.Parameter parameter : definition.parameters()) {
            String name = parameter.name();
            TemplateExpression otherwise = parameter.otherwise();
            boolean missing = !given.has(name);
            scope.set(
                    name,
                    !missing
                            ? given.get(name)
                            : otherwise == null ? Undefined.variable(name) : evaluator.value(otherwise, scope));
        }
        return renderer.text(definition.body(), scope);
    }
}
