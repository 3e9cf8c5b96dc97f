package dev.millrace.text.template;

import dev.millrace.text.template.Statement.Target;
import dev.millrace.text.template.TemplateExpression.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Parses the statements of a template. */
final class StatementParser {
    private final TokenStream tokens;
    private final TemplateExpressionParser expressions;
    /** The number of loops around the next token, inside of its macro. */
    private int loops;

    private StatementParser(TokenStream tokens) {
        this.tokens = tokens;
        this.expressions = new TemplateExpressionParser(tokens);
    }

    static List<Statement> parse(Source source) {
        var parser = new StatementParser(new TokenStream(source));
        List<Statement> all = parser.body(Set.of());
        if (!parser.tokens.has(TemplateToken.Kind.END)) {
            throw parser.tokens.unexpected("the end of the template");
        }
        parser.tokens.requireKnown();
        return all;
    }

    /** Parses statements up to a tag with one of these names, whose name is then the next token. */
    private List<Statement> body(Set<String> ends) {
        tokens.enter();
        var all = new ArrayList<Statement>();
        while (!tokens.has(TemplateToken.Kind.END)) {
            TemplateToken token = tokens.take();
            switch (token.kind()) {
                case TEXT -> all.add(new Statement.Text(token.text()));
                case PRINT_BEGIN -> {
                    all.add(new Statement.Print(expressions.tuple()));
                    tokens.expect(TemplateToken.Kind.PRINT_END, "the end of the tag");
                }
                default -> {
                    if (tokens.has(TemplateToken.Kind.NAME)
                            && ends.contains(tokens.peek().text())) {
                        tokens.leave();
                        return List.copyOf(all);
                    }
                    all.add(statement());
                }
            }
        }
        if (!ends.isEmpty()) {
            throw tokens.unexpected(named(ends));
        }
        tokens.leave();
        return List.copyOf(all);
    }

    private static String named(Set<String> tags) {
        return tags.stream().sorted().map(tag -> "'" + tag + "'").collect(Collectors.joining(" or "));
    }

    private Statement statement() {
        TemplateToken name = tokens.expect(TemplateToken.Kind.NAME, "the name of a statement");
        return switch (name.text()) {
            case "if" -> choice();
            case "for" -> loop(name.at());
            case "set" -> set(name.at());
            case "macro" -> macro(name.at());
            case "call" -> call(name.at());
            case "filter" -> filter(name.at());
            case "generation" -> new Statement.Scoped(block("endgeneration"));
            case "break", "continue" -> leave(name);
            default -> throw tokens.error(name.at(), "there is no statement '" + name.text() + "'");
        };
    }

    private void endTag() {
        tokens.expect(TemplateToken.Kind.TAG_END, "the end of the tag");
    }

    /** Parses the end of a tag, a body, and the tag after it. */
    private List<Statement> block(String end) {
        endTag();
        List<Statement> body = body(Set.of(end));
        tokens.take();
        endTag();
        return body;
    }

    private Statement choice() {
        var branches = new ArrayList<Statement.Branch>();
        TemplateExpression condition = expressions.tuple();
        while (true) {
            endTag();
            branches.add(new Statement.Branch(condition, branch(Set.of("elif", "else", "endif"))));
            if (tokens.takeName("elif")) {
                condition = expressions.tuple();
                continue;
            }
            if (tokens.takeName("else")) {
                endTag();
                branches.add(new Statement.Branch(null, branch(Set.of("endif"))));
            }
            tokens.take();
            endTag();
            return new Statement.If(List.copyOf(branches));
        }
    }

    private List<Statement> branch(Set<String> ends) {
        int known = tokens.unknown();
        List<Statement> body = body(ends);
        tokens.allowUnknown(known);
        return body;
    }

    private Statement loop(int at) {
        Target target = target(false);
        if (!tokens.takeName("in")) {
            throw tokens.unexpected("'in'");
        }
        TemplateExpression items = expressions.loopItems();
        TemplateExpression condition = tokens.takeName("if") ? expressions.expression() : null;
        if (tokens.hasName("recursive")) {
            throw tokens.error(tokens.peek().at(), "recursive loops are not supported");
        }
        endTag();
        loops++;
        List<Statement> body = body(Set.of("else", "endfor"));
        loops--;
        List<Statement> otherwise = List.of();
        if (tokens.takeName("else")) {
            endTag();
            otherwise = body(Set.of("endfor"));
        }
        tokens.take();
        endTag();
        return new Statement.For(at, target, items, condition, body, otherwise);
    }

    private Statement leave(TemplateToken name) {
        if (loops == 0) {
            throw tokens.error(name.at(), "'" + name.text() + "' stands outside of a loop");
        }
        endTag();
        return new Statement.Leave(name.text().equals("continue"));
    }

    /** Parses a variable, or several with commas between them. */
    private Target target(boolean fields) {
        int at = tokens.peek().at();
        Target first = oneTarget(fields);
        if (!tokens.hasOperator(",")) {
            return first;
        }
        var targets = new ArrayList<>(List.of(first));
        while (tokens.takeOperator(",") && (tokens.has(TemplateToken.Kind.NAME) || tokens.hasOperator("("))) {
            targets.add(oneTarget(fields));
        }
        return new Statement.Several(at, List.copyOf(targets));
    }

    private Target oneTarget(boolean fields) {
        if (tokens.takeOperator("(")) {
            tokens.enter();
            Target inner = target(fields);
            tokens.leave();
            tokens.expectOperator(")");
            return inner;
        }
        TemplateToken name = tokens.expect(TemplateToken.Kind.NAME, "a variable");
        if (!(Literals.ofName(name) instanceof TemplateExpression.Name)) {
            throw tokens.error(name.at(), "'" + name.text() + "' is no variable");
        }
        return fields && tokens.takeOperator(".")
                ? new Statement.Field(
                        name.at(),
                        name.text(),
                        tokens.expect(TemplateToken.Kind.NAME, "a name").text())
                : new Statement.Variable(name.at(), name.text());
    }

    private Statement set(int at) {
        Target target = target(true);
        if (tokens.takeOperator("=")) {
            TemplateExpression value = expressions.tuple();
            endTag();
            return new Statement.Set(at, target, value);
        }
        return new Statement.SetBlock(at, target, filters(), outsideOfLoops("endset"));
    }

    private List<Step> filters() {
        var filters = new ArrayList<Step>();
        while (tokens.takeOperator("|")) {
            filters.add(expressions.filter());
        }
        return List.copyOf(filters);
    }

    /** Parses a body whose text is a value, so that no loop around it can be left inside. */
    private List<Statement> outsideOfLoops(String end) {
        int outer = loops;
        loops = 0;
        List<Statement> body = block(end);
        loops = outer;
        return body;
    }

    private Statement filter(int at) {
        var filters = new ArrayList<>(List.of(expressions.filter()));
        filters.addAll(filters());
        return new Statement.FilterBlock(at, List.copyOf(filters), outsideOfLoops("endfilter"));
    }

    private Statement macro(int at) {
        TemplateToken name = tokens.expect(TemplateToken.Kind.NAME, "the name of a macro");
        List<Statement.Parameter> parameters = parameters();
        return new Statement.Macro(at, name.text(), parameters, outsideOfLoops("endmacro"));
    }

    private List<Statement.Parameter> parameters() {
        tokens.expectOperator("(");
        var parameters = new ArrayList<Statement.Parameter>();
        while (!tokens.takeOperator(")")) {
            TemplateToken name = tokens.expect(TemplateToken.Kind.NAME, "the name of a parameter");
            if (parameters.stream().anyMatch(each -> each.name().equals(name.text()))) {
                throw tokens.error(name.at(), "the parameter '" + name.text() + "' is there twice");
            }
            TemplateExpression otherwise = tokens.takeOperator("=") ? expressions.expression() : null;
            parameters.add(new Statement.Parameter(name.text(), otherwise));
            if (!tokens.hasOperator(")")) {
                tokens.expectOperator(",");
            }
        }
        return List.copyOf(parameters);
    }

    private Statement call(int at) {
        List<Statement.Parameter> parameters = tokens.hasOperator("(") ? parameters() : List.of();
        TemplateToken place = tokens.peek();
        if (!(expressions.expression() instanceof TemplateExpression.Path path)
                || !(path.steps().getLast() instanceof TemplateExpression.Call call)) {
            throw tokens.error(place.at(), "'call' needs a call of a macro");
        }
        var callee = new TemplateExpression.Path(
                path.at(), path.first(), path.steps().subList(0, path.steps().size() - 1));
        var caller = new Statement.Macro(at, "caller", parameters, outsideOfLoops("endcall"));
        return new Statement.CallBlock(at, caller, callee, call.passed());
    }
}
