package dev.millrace.text.template;

import dev.millrace.graph.EngineException;
import java.util.List;

/** The tokens of a template in their order, and the depth of the nesting at the next of them. */
final class TokenStream {
    private static final int DEEPEST = 100;

    private final Source source;
    private final List<Token> tokens;
    private int next;
    private int depth;

    TokenStream(Source source) {
        this.source = source;
        this.tokens = Lexer.tokens(source);
    }

    Token peek() {
        return tokens.get(next);
    }

    /** Returns the token after the next one. */
    Token second() {
        return tokens.get(Math.min(next + 1, tokens.size() - 1));
    }

    Token take() {
        Token token = tokens.get(next);
        next = Math.min(next + 1, tokens.size() - 1);
        return token;
    }

    boolean has(Token.Kind kind) {
        return peek().kind() == kind;
    }

    boolean hasOperator(String text) {
        return peek().is(Token.Kind.OPERATOR, text);
    }

    boolean hasName(String text) {
        return peek().is(Token.Kind.NAME, text);
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

    Token expect(Token.Kind kind, String what) {
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

    EngineException unexpected(String expected) {
        return error(peek().at(), peek().described() + " stands where " + expected + " belongs");
    }

    EngineException error(int at, String what) {
        return source.error(at, what);
    }
}
