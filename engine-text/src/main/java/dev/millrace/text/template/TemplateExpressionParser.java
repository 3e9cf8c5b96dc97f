package dev.millrace.text.template;

import dev.millrace.text.template.TemplateExpression.Link;
import dev.millrace.text.template.TemplateExpression.Passed;
import dev.millrace.text.template.TemplateExpression.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Parses expressions by recursive descent, one method for each rank of operators. */
final class TemplateExpressionParser {
    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");
    /** Names after a test that are no argument of it. */
    private static final Set<String> AFTER_TEST = Set.of("else", "or", "and", "if", "is", "in", "not");

    private final TokenStream tokens;

    TemplateExpressionParser(TokenStream tokens) {
        this.tokens = tokens;
    }

    /** Parses an expression, or several with commas between them, which are a tuple. */
    TemplateExpression tuple() {
        return tuple(this::expression);
    }

    /** Parses the items of a loop, where an {@code if} begins the filter of the loop. */
    TemplateExpression loopItems() {
        return tuple(this::or);
    }

    private TemplateExpression tuple(Supplier<TemplateExpression> item) {
        int at = tokens.peek().at();
        TemplateExpression first = item.get();
        if (!tokens.hasOperator(",")) {
            return first;
        }
        var items = new ArrayList<>(List.of(first));
        while (tokens.takeOperator(",") && !endsTuple()) {
            items.add(item.get());
        }
        return new TemplateExpression.TupleOf(at, List.copyOf(items));
    }

    private boolean endsTuple() {
        return tokens.has(TemplateToken.Kind.TAG_END)
                || tokens.has(TemplateToken.Kind.PRINT_END)
                || tokens.hasOperator(")");
    }

    TemplateExpression expression() {
        tokens.enter();
        int known = tokens.unknown();
        TemplateExpression made = or();
        if (tokens.hasName("if")) {
            tokens.allowUnknown(known);
            made = choice(made);
        }
        tokens.leave();
        return made;
    }

    private TemplateExpression choice(TemplateExpression then) {
        int at = tokens.take().at();
        TemplateExpression condition = or();
        int known = tokens.unknown();
        TemplateExpression otherwise = tokens.takeName("else") ? expression() : null;
        tokens.allowUnknown(known);
        return new TemplateExpression.Choice(at, condition, then, otherwise);
    }

    private TemplateExpression or() {
        return logic("or", true, this::and);
    }

    private TemplateExpression and() {
        return logic("and", false, this::not);
    }

    private TemplateExpression logic(String word, boolean any, Supplier<TemplateExpression> operand) {
        int at = tokens.peek().at();
        TemplateExpression first = operand.get();
        if (!tokens.hasName(word)) {
            return first;
        }
        var operands = new ArrayList<>(List.of(first));
        while (tokens.takeName(word)) {
            operands.add(operand.get());
        }
        return new TemplateExpression.Logic(at, any, List.copyOf(operands));
    }

    private TemplateExpression not() {
        if (!tokens.hasName("not")) {
            return comparison();
        }
        tokens.enter();
        var made = new TemplateExpression.Not(tokens.take().at(), not());
        tokens.leave();
        return made;
    }

    private TemplateExpression comparison() {
        int at = tokens.peek().at();
        TemplateExpression first = sum();
        var links = new ArrayList<Link>();
        while (true) {
            TemplateToken next = tokens.peek();
            if (next.kind() == TemplateToken.Kind.OPERATOR && COMPARISONS.contains(next.text())
                    || tokens.hasName("in")) {
                tokens.take();
                links.add(new Link(next.at(), next.text(), sum()));
            } else if (tokens.hasName("not") && tokens.second().is(TemplateToken.Kind.NAME, "in")) {
                tokens.take();
                tokens.take();
                links.add(new Link(next.at(), "not in", sum()));
            } else {
                return links.isEmpty() ? first : new TemplateExpression.Comparison(at, first, List.copyOf(links));
            }
        }
    }

    private TemplateExpression sum() {
        return arithmetic(Set.of("+", "-"), this::joined);
    }

    private TemplateExpression joined() {
        int at = tokens.peek().at();
        TemplateExpression first = product();
        if (!tokens.hasOperator("~")) {
            return first;
        }
        var operands = new ArrayList<>(List.of(first));
        while (tokens.takeOperator("~")) {
            operands.add(product());
        }
        return new TemplateExpression.Joined(at, List.copyOf(operands));
    }

    private TemplateExpression product() {
        return arithmetic(Set.of("*", "/", "//", "%"), this::power);
    }

    private TemplateExpression power() {
        return arithmetic(Set.of("**"), () -> signed(true));
    }

    private TemplateExpression arithmetic(Set<String> operators, Supplier<TemplateExpression> operand) {
        int at = tokens.peek().at();
        TemplateExpression first = operand.get();
        var links = new ArrayList<Link>();
        while (tokens.has(TemplateToken.Kind.OPERATOR)
                && operators.contains(tokens.peek().text())) {
            TemplateToken operator = tokens.take();
            links.add(new Link(operator.at(), operator.text(), operand.get()));
        }
        return links.isEmpty() ? first : new TemplateExpression.Arithmetic(at, first, List.copyOf(links));
    }

    /** Parses an operand with its signs and steps. A sign binds tighter than filters, and looser than other steps. */
    private TemplateExpression signed(boolean filters) {
        int at = tokens.peek().at();
        boolean minus = tokens.hasOperator("-");
        TemplateExpression made;
        if (minus || tokens.hasOperator("+")) {
            tokens.enter();
            tokens.take();
            made = new TemplateExpression.Signed(at, minus, signed(false));
            tokens.leave();
        } else {
            made = primary();
        }
        var steps = new ArrayList<Step>();
        while (accessOrCall(steps) || filters && filterOrTest(steps)) {
            // each turn adds a step
        }
        return steps.isEmpty() ? made : new TemplateExpression.Path(at, made, List.copyOf(steps));
    }

    private TemplateExpression primary() {
        TemplateToken token = tokens.peek();
        return switch (token.kind()) {
            case NAME -> {
                tokens.take();
                yield Literals.ofName(token);
            }
            case STRING -> string();
            case INTEGER, FLOAT -> new TemplateExpression.Literal(token.at(), Literals.number(tokens.take(), tokens));
            case OPERATOR -> bracketed(token);
            default -> throw tokens.unexpected("an expression");
        };
    }

    private TemplateExpression string() {
        int at = tokens.peek().at();
        var text = new StringBuilder();
        while (tokens.has(TemplateToken.Kind.STRING)) {
            text.append(tokens.take().text());
        }
        return new TemplateExpression.Literal(at, text.toString());
    }

    private TemplateExpression bracketed(TemplateToken open) {
        if (tokens.takeOperator("(")) {
            if (tokens.takeOperator(")")) {
                return new TemplateExpression.TupleOf(open.at(), List.of());
            }
            TemplateExpression inner = tuple();
            tokens.expectOperator(")");
            return inner;
        }
        if (tokens.takeOperator("[")) {
            var items = new ArrayList<TemplateExpression>();
            while (!tokens.takeOperator("]")) {
                items.add(expression());
                comma("]");
            }
            return new TemplateExpression.ListOf(open.at(), List.copyOf(items));
        }
        if (tokens.takeOperator("{")) {
            var keys = new ArrayList<TemplateExpression>();
            var values = new ArrayList<TemplateExpression>();
            while (!tokens.takeOperator("}")) {
                keys.add(expression());
                tokens.expectOperator(":");
                values.add(expression());
                comma("}");
            }
            return new TemplateExpression.DictOf(open.at(), List.copyOf(keys), List.copyOf(values));
        }
        throw tokens.unexpected("an expression");
    }

    private void comma(String close) {
        if (!tokens.hasOperator(close)) {
            tokens.expectOperator(",");
        }
    }

    /** Adds a step that is an access or a call, if there is one. */
    private boolean accessOrCall(List<Step> steps) {
        int at = tokens.peek().at();
        if (tokens.takeOperator(".")) {
            TemplateToken name = tokens.take();
            switch (name.kind()) {
                case NAME -> steps.add(new TemplateExpression.Attribute(name.at(), name.text()));
                case INTEGER ->
                    steps.add(new TemplateExpression.Item(
                            name.at(), new TemplateExpression.Literal(name.at(), Literals.number(name, tokens))));
                default -> throw tokens.error(name.at(), name.described() + " stands where a name belongs");
            }
            return true;
        }
        if (tokens.takeOperator("[")) {
            steps.add(subscript(at));
            tokens.expectOperator("]");
            return true;
        }
        if (tokens.hasOperator("(")) {
            steps.add(new TemplateExpression.Call(at, passed()));
            return true;
        }
        return false;
    }

    private Step subscript(int at) {
        TemplateExpression from = tokens.hasOperator(":") ? null : expression();
        if (from != null && !tokens.hasOperator(":")) {
            return new TemplateExpression.Item(at, from);
        }
        tokens.expectOperator(":");
        TemplateExpression to = tokens.hasOperator(":") || tokens.hasOperator("]") ? null : expression();
        TemplateExpression by = tokens.takeOperator(":") && !tokens.hasOperator("]") ? expression() : null;
        return new TemplateExpression.Slice(at, from, to, by);
    }

    Passed passed() {
        tokens.expectOperator("(");
        var positional = new ArrayList<TemplateExpression>();
        Map<String, TemplateExpression> named = new LinkedHashMap<>();
        while (!tokens.takeOperator(")")) {
            if (tokens.hasOperator("*") || tokens.hasOperator("**")) {
                throw tokens.error(tokens.peek().at(), "arguments with * or ** are not supported");
            }
            if (tokens.has(TemplateToken.Kind.NAME) && tokens.second().is(TemplateToken.Kind.OPERATOR, "=")) {
                TemplateToken name = tokens.take();
                tokens.take();
                if (named.put(name.text(), expression()) != null) {
                    throw tokens.error(name.at(), "the argument '" + name.text() + "' is there twice");
                }
            } else if (named.isEmpty()) {
                positional.add(expression());
            } else {
                throw tokens.unexpected("an argument with a name");
            }
            comma(")");
        }
        return new Passed(List.copyOf(positional), named);
    }

    private boolean filterOrTest(List<Step> steps) {
        if (tokens.takeOperator("|")) {
            steps.add(filter());
            return true;
        }
        if (tokens.takeName("is")) {
            steps.add(test());
            return true;
        }
        return false;
    }

    /** Parses a filter after its bar. */
    Step filter() {
        TemplateToken name = tokens.expect(TemplateToken.Kind.NAME, "the name of a filter");
        Builtin filter = tokens.find(Filters.TABLE, "filter", name);
        return new TemplateExpression.Filter(name.at(), filter, tokens.hasOperator("(") ? passed() : Passed.NONE);
    }

    private Step test() {
        boolean negated = tokens.takeName("not");
        TemplateToken name = tokens.expect(TemplateToken.Kind.NAME, "the name of a test");
        Builtin test = tokens.find(Tests.TABLE, "test", name);
        return new TemplateExpression.Test(name.at(), test, tested(), negated);
    }

    /** Parses the arguments of a test: in parentheses, or one operand alone. */
    private Passed tested() {
        if (tokens.hasOperator("(")) {
            return passed();
        }
        TemplateToken next = tokens.peek();
        boolean operand = switch (next.kind()) {
            case NAME -> !AFTER_TEST.contains(next.text());
            case STRING, INTEGER, FLOAT -> true;
            case OPERATOR -> "[{".contains(next.text());
            default -> false;
        };
        if (!operand) {
            return Passed.NONE;
        }
        tokens.enter();
        TemplateExpression first = primary();
        var steps = new ArrayList<Step>();
        while (accessOrCall(steps)) {
            // each turn adds a step
        }
        tokens.leave();
        return new Passed(List.of(new TemplateExpression.Path(next.at(), first, List.copyOf(steps))), Map.of());
    }
}
