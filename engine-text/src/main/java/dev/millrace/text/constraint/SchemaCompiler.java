package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import dev.millrace.text.json.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a JSON schema. Schemas that hold together become a rule each, which are added one after the other, so schemas may
 * refer to themselves.
 */
final class SchemaCompiler {
    private static final int MOST_RULES = 10_000;

    private final Json root;
    private final AutomatonBuilder builder;
    private final JsonPieces json;
    private final Map<String, Integer> rules = new HashMap<>();
    private final ArrayDeque<Open> open = new ArrayDeque<>();

    /** A rule without content so far. */
    private record Open(int rule, List<SchemaPart> parts) {}

    SchemaCompiler(Json root, AutomatonBuilder builder, JsonPieces json) {
        this.root = root;
        this.builder = builder;
        this.json = json;
    }

    /** Adds the rules of the schema, and returns the first. */
    int compile() {
        int first = rule(List.of(SchemaPart.whole(root)));
        while (!open.isEmpty()) {
            Open next = open.poll();
            add(next.parts(), builder.start(next.rule()), builder.end(next.rule()));
        }
        return first;
    }

    private int rule(List<SchemaPart> parts) {
        String key = parts.stream().map(SchemaPart::key).collect(Collectors.joining("\n"));
        return rules.computeIfAbsent(key, _ -> {
            if (rules.size() >= MOST_RULES) {
                throw EngineException.invalidArgument("the schema has more than " + MOST_RULES
                        + " combinations of schemas; are there choices within allOf?");
            }
            int rule = builder.rule();
            open.add(new Open(rule, parts));
            return rule;
        });
    }

    /** Returns a value that fulfils schemas. */
    private AutomatonBuilder.Piece value(List<Json> schemas) {
        return (from, to) ->
                builder.call(from, rule(schemas.stream().map(SchemaPart::whole).toList()), to);
    }

    private void add(List<SchemaPart> parts, int from, int to) {
        var split = new SchemaParts(root, parts);
        if (split.isNever()) {
            return;
        }
        if (split.choices().isEmpty()) {
            if (split.own().isEmpty()) {
                json.value(from, to);
            } else {
                add(new SchemaFacts(split.own().stream().map(SchemaPart::json).toList()), from, to);
            }
            return;
        }
        for (Json each : split.choices().getFirst().json().elements()) {
            List<SchemaPart> one = new ArrayList<>(split.own());
            one.addAll(split.choices().subList(1, split.choices().size()));
            one.add(SchemaPart.whole(each));
            builder.call(from, rule(one), to);
        }
    }

    private void add(SchemaFacts facts, int from, int to) {
        if (facts.isEmpty()) {
            json.value(from, to);
            return;
        }
        Map<String, Json> values = facts.values;
        if (values != null) {
            values.values().stream()
                    .filter(value -> facts.types.contains(JsonType.ofValue(value)))
                    .forEach(value -> json.literal(from, value, to));
            return;
        }
        for (JsonType type : facts.types) {
            switch (type) {
                case NULL -> builder.literal(from, "null", to);
                case BOOLEAN -> {
                    builder.literal(from, "true", to);
                    builder.literal(from, "false", to);
                }
                case OBJECT -> object(facts, from, to);
                case ARRAY -> array(facts, from, to);
                case NUMBER -> number(facts, false, from, to);
                case INTEGER -> {
                    // a number that need not be whole may be
                    if (!facts.types.contains(JsonType.NUMBER)) {
                        number(facts, true, from, to);
                    }
                }
                case STRING -> string(facts, from, to);
            }
        }
    }

    private void number(SchemaFacts facts, boolean isWhole, int from, int to) {
        NumberPiece.Bounds bounds = facts.bounds;
        if (bounds != null) {
            NumberPiece.add(builder, from, bounds, isWhole, to);
        } else if (isWhole) {
            NumberPiece.wholeNumber(builder, from, to);
        } else {
            json.number(from, to);
        }
    }

    private void string(SchemaFacts facts, int from, int to) {
        String expression = facts.expression;
        if (facts.maxLength >= 0 && facts.maxLength < facts.minLength) {
            return;
        }
        if (expression == null && facts.minLength == 0 && facts.maxLength < 0) {
            json.string(from, to);
        } else if (expression == null) {
            json.quoted(
                    from,
                    (begin, end) -> builder.repeat(
                            begin,
                            (at, next) -> json.character(at, CodePoints.ALL, next),
                            facts.minLength,
                            facts.maxLength,
                            end),
                    to);
        } else {
            try {
                var piece = new RegexPiece(expression, builder, json::character);
                requireLengths(facts, piece.lengths());
                json.quoted(from, piece::addFound, to);
            } catch (EngineException e) {
                throw facts.place.located(e);
            }
        }
    }

    private static void requireLengths(SchemaFacts facts, long[] lengths) {
        boolean isLong = lengths[0] >= facts.minLength;
        boolean isShort = facts.maxLength < 0 || lengths[1] >= 0 && lengths[1] <= facts.maxLength;
        if (!isLong || !isShort) {
            throw EngineException.invalidArgument(
                    "a pattern or format that allows other lengths than minLength and maxLength is"
                            + " not supported; write the lengths in the pattern");
        }
    }

    private void array(SchemaFacts facts, int from, int to) {
        int prefix = facts.arrays.stream()
                .mapToInt(each -> each.prefix().size())
                .max()
                .orElse(0);
        int known = Math.max(1, Math.max(prefix, facts.minItems));
        int most = facts.maxItems;
        int last = most < 0 ? known : most;
        int at = builder.node();
        builder.character(from, CodePoints.of('['), at);
        for (int i = 0; i < last; i++) {
            closed(at, i >= facts.minItems, ']', to);
            int begin = at;
            if (i > 0) {
                begin = builder.node();
                json.mark(at, ',', begin);
            }
            at = builder.node();
            element(facts, i).add(begin, at);
        }
        closed(at, last >= facts.minItems, ']', to);
        if (most < 0) {
            int begin = builder.node();
            json.mark(at, ',', begin);
            element(facts, known).add(begin, at);
        }
    }

    private void closed(int from, boolean may, char mark, int to) {
        if (may) {
            builder.character(from, CodePoints.of(mark), to);
        }
    }

    private AutomatonBuilder.Piece element(SchemaFacts facts, int index) {
        List<Json> schemas = new ArrayList<>();
        for (SchemaFacts.Arrays each : facts.arrays) {
            Json others = each.others();
            if (index < each.prefix().size()) {
                schemas.add(each.prefix().get(index));
            } else if (others != null) {
                schemas.add(others);
            }
        }
        return value(schemas);
    }

    private void object(SchemaFacts facts, int from, int to) {
        Map<String, List<Json>> properties = properties(facts);
        List<Json> additional = additional(facts);
        boolean isOpen = additional != null || properties.isEmpty();
        int first = builder.node();
        builder.character(from, CodePoints.of('{'), first);
        int later = builder.node();
        for (Map.Entry<String, List<Json>> property : properties.entrySet()) {
            int begin = builder.node();
            builder.epsilon(first, begin);
            json.mark(later, ',', begin);
            int nextFirst = builder.node();
            int nextLater = builder.node();
            json.property(begin, property.getKey(), value(property.getValue()), nextLater);
            if (!facts.required.contains(property.getKey())) {
                builder.epsilon(first, nextFirst);
                builder.epsilon(later, nextLater);
            }
            first = nextFirst;
            later = nextLater;
        }
        if (isOpen) {
            int begin = builder.node();
            builder.epsilon(first, begin);
            int behind = builder.node();
            builder.epsilon(later, behind);
            json.mark(behind, ',', begin);
            int name = builder.node();
            int colon = builder.node();
            json.otherString(begin, properties.keySet(), name);
            json.mark(name, ':', colon);
            value(additional == null ? List.of() : additional).add(colon, behind);
            later = behind;
        }
        closed(first, true, '}', to);
        closed(later, true, '}', to);
    }

    /** Returns the schemas of each property that is listed or required. */
    private static Map<String, List<Json>> properties(SchemaFacts facts) {
        Map<String, List<Json>> all = new LinkedHashMap<>();
        facts.objects.forEach(each -> each.properties().keySet().forEach(name -> all.put(name, new ArrayList<>())));
        facts.required.forEach(name -> all.putIfAbsent(name, new ArrayList<>()));
        all.forEach((name, schemas) -> {
            for (SchemaFacts.Objects each : facts.objects) {
                Json own = each.properties().get(name);
                Json other = own == null ? each.additional() : own;
                if (other != null) {
                    schemas.add(other);
                }
            }
        });
        return all;
    }

    /** Returns the schemas of properties that are not listed; null if no schema speaks of them. */
    private static @Nullable List<Json> additional(SchemaFacts facts) {
        List<Json> schemas = new ArrayList<>();
        for (SchemaFacts.Objects each : facts.objects) {
            Json additional = each.additional();
            if (additional != null) {
                schemas.add(additional);
            }
        }
        return schemas.isEmpty() ? null : schemas;
    }
}
