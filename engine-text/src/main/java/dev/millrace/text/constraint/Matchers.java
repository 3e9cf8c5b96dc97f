package dev.millrace.text.constraint;

import dev.millrace.text.json.Json;
import java.util.function.ToIntFunction;

/** Compiles what texts are bound to, for the vocabulary that writes them. */
public final class Matchers {
    private Matchers() {}

    /** Any bytes. */
    public static Matcher any(TokenTable table) {
        return of(table, "any text", builder -> {
            int rule = builder.rule();
            builder.bytes(builder.start(rule), 0, 0xff, builder.start(rule));
            builder.epsilon(builder.start(rule), builder.end(rule));
            return rule;
        });
    }

    /** The texts that a regular expression matches whole. */
    public static Matcher regex(TokenTable table, String pattern) {
        return of(
                table,
                "the regular expression '" + pattern + "'",
                builder -> builder.rule(new RegexPiece(pattern, builder, builder::character)::add));
    }

    /** JSON values of any type. */
    public static Matcher json(TokenTable table) {
        return of(table, "JSON", builder -> {
            var json = new JsonPieces(builder);
            return builder.rule((from, to) -> spaced(builder, json, from, json::value, to));
        });
    }

    /** The JSON values that fulfil a schema. */
    public static Matcher jsonSchema(TokenTable table, Json schema) {
        return of(table, "the schema", builder -> {
            var json = new JsonPieces(builder);
            int rule = new SchemaCompiler(schema, builder, json).compile();
            return builder.rule(
                    (from, to) -> spaced(builder, json, from, (begin, end) -> builder.call(begin, rule, end), to));
        });
    }

    private static void spaced(
            AutomatonBuilder builder, JsonPieces json, int from, AutomatonBuilder.Piece piece, int to) {
        int begin = builder.node();
        json.space(from, begin);
        piece.add(begin, to);
    }

    /** The texts of a grammar. */
    public static Matcher grammar(TokenTable table, String grammar) {
        return of(table, "the grammar", builder -> new GrammarParser(grammar, builder).parse());
    }

    private static Matcher of(TokenTable table, String what, ToIntFunction<AutomatonBuilder> rule) {
        var builder = new AutomatonBuilder(table.alphabet());
        return new Matcher(builder.build(rule.applyAsInt(builder), what), table);
    }
}
