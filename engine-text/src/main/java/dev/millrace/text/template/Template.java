package dev.millrace.text.template;

import dev.millrace.graph.EngineException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A template that has been parsed. Immutable and thread-safe. */
public final class Template {
    private final Source source;
    private final List<Statement> statements;

    private Template(Source source, List<Statement> statements) {
        this.source = source;
        this.statements = statements;
    }

    /** Parses a template; an error names its line and its column. */
    public static Template parse(String text) {
        Source source = Source.of(text);
        return new Template(source, StatementParser.parse(source));
    }

    /** Renders the template with variables, whose values are as {@link Values#copyOf} makes them. */
    public String render(Map<String, ? extends @Nullable Object> variables, Rendering rendering) {
        var globals = new VariableScope(null);
        globals.setAll(Globals.all(rendering.clock()));
        var scope = new VariableScope(globals);
        scope.setAll(variables);
        var steps = new Steps(rendering.steps(), rendering.check());
        try {
            return new Renderer(source, steps).text(statements, scope);
        } catch (Failure e) {
            throw EngineException.invalidArgument(e.what());
        }
    }
}
