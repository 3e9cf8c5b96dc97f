package dev.millrace.text.template;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.List;

/** The tokens of a template in their order, and the depth of the nesting at the next of them. */
final class TokenStream {
    private static final int DEEPEST = 100;

    private final Source source;
    private final List<TemplateToken> tokens;
    private final List<EngineException> unknown = new ArrayList<>();
    private int next;
    private int depth;

    TokenStream(Source source) {
        this.source = source;
        this.tokens = Lexer.tokens(source);
    }

    TemplateToken peek() {
        return tokens.get(next);
    }

    /** Returns the token after the next one. */
    TemplateToken second() {
        return tokens.get(Math.min(next + 1, tokens.size() - 1));
    }

    TemplateToken take() {
        TemplateToken token = tokens.get(next);
        next = Math.min(next + 1, tokens.size() - 1);
        return token;
    }

    boolean has(TemplateToken.Kind kind) {
        return peek().kind() == kind;
    }

    boolean hasOperator(String text) {
        return peek().is(TemplateToken.Kind.OPERATOR, text);
    }

    boolean hasName(String text) {
        return peek().is(TemplateToken.Kind.NAME, text);
    }

    boolean takeOperator(String text) {
        boolean there = hasOperator(text);
        if (there) {
            take();
        }
        return there;
    }

    boolean takeName(String text) {
        boolean there = hasName(text);
        if (there) {
            take();
        }
        return there;
    }

    TemplateToken expect(TemplateToken.Kind kind, String what) {
        if (!has(kind)) {
            throw unexpected(what);
        }
        return take();
    }

    void expectOperator(String text) {
        if (!takeOperator(text)) {
            throw unexpected("'" + text + "'");
        }
    }

    /** Enters a nested construct. */
    void enter() {
        if (++depth > DEEPEST) {
            throw error(peek().at(), "the template is nested more than " + DEEPEST + " deep");
        }
    }

    void leave() {
        depth--;
    }

    /** Finds a filter or a test. One that is unknown fails when it is reached, or as {@link #requireKnown} says. */
    Builtin find(Builtin.Table table, String kind, TemplateToken name) {
        Builtin found = table.get(name.text());
        if (found != null) {
            return found;
        }
        String what = "there is no " + kind + " '" + name.text() + "'";
        unknown.add(error(name.at(), what));
        return Builtin.failing(name.text(), what);
    }

    /** Returns the number of unknown filters and tests so far. */
    int unknown() {
        return unknown.size();
    }

    /** Allows the unknown filters and tests after the first ones: they stand where they may not be reached. */
    void allowUnknown(int first) {
        unknown.subList(first, unknown.size()).clear();
    }

    /** Refuses a template that reaches an unknown filter or test under no condition. */
    void requireKnown() {
        if (!unknown.isEmpty()) {
            throw unknown.getFirst();
        }
    }

    EngineException unexpected(String expected) {
        return error(peek().at(), peek().described() + " stands where " + expected + " belongs");
    }

    EngineException error(int at, String what) {
        return source.error(at, what);
    }
}
