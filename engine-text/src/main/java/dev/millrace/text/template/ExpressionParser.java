package dev.millrace.text.template;

import dev.millrace.text.template.Expression.Link;
import dev.millrace.text.template.Expression.Passed;
import dev.millrace.text.template.Expression.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Parses expressions by recursive descent, one method for each rank of operators. */
final class ExpressionParser {
    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");
    /** Names after a test that are no argument of it. */
    private static final Set<String> AFTER_TEST = Set.of("else", "or", "and", "if", "is", "in", "not");

    private final TokenStream tokens;

    ExpressionParser(TokenStream tokens) {
        this.tokens = tokens;
    }

    /** Parses an expression, or several with commas between them, which are a tuple. */
    Expression tuple() {
        return tuple(this::expression);
    }

    /** Parses the items of a loop, where an {@code if} begins the filter of the loop. */
    Expression loopItems() {
        return tuple(this::or);
    }

    private Expression tuple(Supplier<Expression> item) {
        int at = tokens.peek().at();
        Expression first = item.get();
        if (!tokens.hasOperator(",")) {
            return first;
        }
        var items = new ArrayList<>(List.of(first));
        while (tokens.takeOperator(",") && !endsTuple()) {
            items.add(item.get());
        }
        return new Expression.TupleOf(at, List.copyOf(items));
    }

    private boolean endsTuple() {
        return tokens.has(Token.Kind.TAG_END) || tokens.has(Token.Kind.PRINT_END) || tokens.hasOperator(")");
    }

    Expression expression() {
        tokens.enter();
        int known = tokens.unknown();
        Expression made = or();
        if (tokens.hasName("if")) {
            tokens.allowUnknown(known);
            made = choice(made);
        }
        tokens.leave();
        return made;
    }

    private Expression choice(Expression then) {
        int at = tokens.take().at();
        Expression condition = or();
        int known = tokens.unknown();
        Expression otherwise = tokens.takeName("else") ? expression() : null;
        tokens.allowUnknown(known);
        return new Expression.Choice(at, condition, then, otherwise);
    }

    private Expression or() {
        return logic("or", true, this::and);
    }

    private Expression and() {
        return logic("and", false, this::not);
    }

    private Expression logic(String word, boolean any, Supplier<Expression> operand) {
        int at = tokens.peek().at();
        Expression first = operand.get();
        if (!tokens.hasName(word)) {
            return first;
        }
        var operands = new ArrayList<>(List.of(first));
        while (tokens.takeName(word)) {
            operands.add(operand.get());
        }
        return new Expression.Logic(at, any, List.copyOf(operands));
    }

    private Expression not() {
        if (!tokens.hasName("not")) {
            return comparison();
        }
        tokens.enter();
        var made = new Expression.Not(tokens.take().at(), not());
        tokens.leave();
        return made;
    }

    private Expression comparison() {
        int at = tokens.peek().at();
        Expression first = sum();
        var links = new ArrayList<Link>();
        while (true) {
            Token next = tokens.peek();
            if (next.kind() == Token.Kind.OPERATOR && COMPARISONS.contains(next.text()) || tokens.hasName("in")) {
                tokens.take();
                links.add(new Link(next.at(), next.text(), sum()));
            } else if (tokens.hasName("not") && tokens.second().is(Token.Kind.NAME, "in")) {
                tokens.take();
                tokens.take();
                links.add(new Link(next.at(), "not in", sum()));
            } else {
                return links.isEmpty() ? first : new Expression.Comparison(at, first, List.copyOf(links));
            }
        }
    }

    private Expression sum() {
        return arithmetic(Set.of("+", "-"), this::joined);
    }

    private Expression joined() {
        int at = tokens.peek().at();
        Expression first = product();
        if (!tokens.hasOperator("~")) {
            return first;
        }
        var operands = new ArrayList<>(List.of(first));
        while (tokens.takeOperator("~")) {
            operands.add(product());
        }
        return new Expression.Joined(at, List.copyOf(operands));
    }

    private Expression product() {
        return arithmetic(Set.of("*", "/", "//", "%"), this::power);
    }

    private Expression power() {
        return arithmetic(Set.of("**"), () -> signed(true));
    }

    private Expression arithmetic(Set<String> operators, Supplier<Expression> operand) {
        int at = tokens.peek().at();
        Expression first = operand.get();
        var links = new ArrayList<Link>();
        while (tokens.has(Token.Kind.OPERATOR)
                && operators.contains(tokens.peek().text())) {
            Token operator = tokens.take();
            links.add(new Link(operator.at(), operator.text(), operand.get()));
        }
        return links.isEmpty() ? first : new Expression.Arithmetic(at, first, List.copyOf(links));
    }

    /** Parses an operand with its signs and steps. A sign binds tighter than filters, and looser than other steps. */
    private Expression signed(boolean filters) {
        int at = tokens.peek().at();
        boolean minus = tokens.hasOperator("-");
        Expression made;
        if (minus || tokens.hasOperator("+")) {
            tokens.enter();
            tokens.take();
            made = new Expression.Signed(at, minus, signed(false));
            tokens.leave();
        } else {
            made = primary();
        }
        var steps = new ArrayList<Step>();
        while (accessOrCall(steps) || filters && filterOrTest(steps)) {
            // each turn adds a step
        }
        return steps.isEmpty() ? made : new Expression.Path(at, made, List.copyOf(steps));
    }

    private Expression primary() {
        Token token = tokens.peek();
        return switch (token.kind()) {
            case NAME -> {
                tokens.take();
                yield Literals.ofName(token);
            }
            case STRING -> string();
            case INTEGER, FLOAT -> new Expression.Literal(token.at(), Literals.number(tokens.take(), tokens));
            case OPERATOR -> bracketed(token);
            default -> throw tokens.unexpected("an expression");
        };
    }

    private Expression string() {
        int at = tokens.peek().at();
        var text = new StringBuilder();
        while (tokens.has(Token.Kind.STRING)) {
            text.append(tokens.take().text());
        }
        return new Expression.Literal(at, text.toString());
    }

    private Expression bracketed(Token open) {
        if (tokens.takeOperator("(")) {
            if (tokens.takeOperator(")")) {
                return new Expression.TupleOf(open.at(), List.of());
            }
            Expression inner = tuple();
            tokens.expectOperator(")");
            return inner;
        }
        if (tokens.takeOperator("[")) {
            var items = new ArrayList<Expression>();
            while (!tokens.takeOperator("]")) {
                items.add(expression());
                comma("]");
            }
            return new Expression.ListOf(open.at(), List.copyOf(items));
        }
        if (tokens.takeOperator("{")) {
            var keys = new ArrayList<Expression>();
            var values = new ArrayList<Expression>();
            while (!tokens.takeOperator("}")) {
                keys.add(expression());
                tokens.expectOperator(":");
                values.add(expression());
                comma("}");
            }
            return new Expression.DictOf(open.at(), List.copyOf(keys), List.copyOf(values));
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
            Token name = tokens.take();
            switch (name.kind()) {
                case NAME -> steps.add(new Expression.Attribute(name.at(), name.text()));
                case INTEGER ->
                    steps.add(new Expression.Item(
                            name.at(), new Expression.Literal(name.at(), Literals.number(name, tokens))));
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
            steps.add(new Expression.Call(at, passed()));
            return true;
        }
        return false;
    }

    private Step subscript(int at) {
        Expression from = tokens.hasOperator(":") ? null : expression();
        if (from != null && !tokens.hasOperator(":")) {
            return new Expression.Item(at, from);
        }
        tokens.expectOperator(":");
        Expression to = tokens.hasOperator(":") || tokens.hasOperator("]") ? null : expression();
        Expression by = tokens.takeOperator(":") && !tokens.hasOperator("]") ? expression() : null;
        return new Expression.Slice(at, from, to, by);
    }

    Passed passed() {
        tokens.expectOperator("(");
        var positional = new ArrayList<Expression>();
        Map<String, Expression> named = new LinkedHashMap<>();
        while (!tokens.takeOperator(")")) {
            if (tokens.hasOperator("*") || tokens.hasOperator("**")) {
                throw tokens.error(tokens.peek().at(), "arguments with * or ** are not supported");
            }
            if (tokens.has(Token.Kind.NAME) && tokens.second().is(Token.Kind.OPERATOR, "=")) {
                Token name = tokens.take();
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
        Token name = tokens.expect(Token.Kind.NAME, "the name of a filter");
        Builtin filter = tokens.find(Filters.TABLE, "filter", name);
        return new Expression.Filter(name.at(), filter, tokens.hasOperator("(") ? passed() : Passed.NONE);
    }

    private Step test() {
        boolean negated = tokens.takeName("not");
        Token name = tokens.expect(Token.Kind.NAME, "the name of a test");
        Builtin test = tokens.find(Tests.TABLE, "test", name);
        return new Expression.Test(name.at(), test, tested(), negated);
    }

    /** Parses the arguments of a test: in parentheses, or one operand alone. */
    private Passed tested() {
        if (tokens.hasOperator("(")) {
            return passed();
        }
        Token next = tokens.peek();
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
        Expression first = primary();
        var steps = new ArrayList<Step>();
        while (accessOrCall(steps)) {
            // each turn adds a step
        }
        tokens.leave();
        return new Passed(List.of(new Expression.Path(next.at(), first, List.copyOf(steps))), Map.of());
    }
}
