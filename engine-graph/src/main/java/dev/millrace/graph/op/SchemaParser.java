package dev.millrace.graph.op;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads one block of a {@link SchemaFile}. */
final class SchemaParser {
    private SchemaParser() {}

    static OperatorSchema parse(OpId op, int since, String block, Map<String, List<String>> sets) {
        var inputs = new ArrayList<Parameter>();
        var outputs = new ArrayList<Parameter>();
        var attributes = new ArrayList<AttributeSpec>();
        var constraints = new ArrayList<TypeConstraint>();
        String[] lines = block.split("\n", -1);
        for (int i = 1; i < lines.length; i++) {
            String line = lines[i];
            if (line.isEmpty() || line.charAt(0) == SchemaFile.TRAITS || line.charAt(0) == SchemaFile.DEFINITION) {
                continue;
            }
            char sign = line.charAt(0);
            if (sign != '<' && sign != '>' && sign != '@') {
                constraints.add(constraint(line, sets));
                continue;
            }
            for (String word : line.substring(2).split(" ", -1)) {
                switch (sign) {
                    case '<' -> inputs.add(parameter(word));
                    case '>' -> outputs.add(parameter(word));
                    default -> attributes.add(attribute(word));
                }
            }
        }
        return new OperatorSchema(
                op, since, lines[0].endsWith(" deprecated"), inputs, outputs, constraints, attributes);
    }

    private static Parameter parameter(String word) {
        int colon = word.indexOf(':');
        String type = word.substring(colon + 1);
        String head = word.substring(0, colon);
        int star = head.indexOf('*');
        if (star >= 0) {
            boolean mixed = head.startsWith("**", star);
            String least = head.substring(star + (mixed ? 2 : 1));
            return new Parameter(
                    head.substring(0, star),
                    type,
                    Parameter.Arity.VARIADIC,
                    least.isEmpty() ? 1 : Integer.parseInt(least),
                    !mixed);
        }
        boolean optional = head.endsWith("?");
        return new Parameter(
                optional ? head.substring(0, head.length() - 1) : head,
                type,
                optional ? Parameter.Arity.OPTIONAL : Parameter.Arity.SINGLE,
                1,
                true);
    }

    private static AttributeSpec attribute(String word) {
        int colon = word.indexOf(':');
        String name = word.substring(0, colon);
        String kind = word.substring(colon + 1);
        String value = null;
        int equals = kind.indexOf('=');
        if (equals >= 0) {
            value = kind.substring(equals + 1);
            kind = kind.substring(0, equals);
        }
        boolean required = kind.endsWith("!");
        kind = required ? kind.substring(0, kind.length() - 1) : kind;
        AttributeSpec.Kind parsed = AttributeSpec.Kind.valueOf(kind.toUpperCase(Locale.ROOT));
        return new AttributeSpec(name, parsed, required, value == null ? null : value(parsed, value));
    }

    private static Attribute value(AttributeSpec.Kind kind, String text) {
        return switch (kind) {
            case INT -> Attribute.of(Long.parseLong(text));
            case FLOAT -> Attribute.of(Float.parseFloat(text));
            case STRING -> Attribute.of(text.equals("\"\"") ? "" : text);
            case INTS ->
                new Attribute.Ints(list(text).stream().map(Long::valueOf).toList());
            case FLOATS ->
                new Attribute.Floats(list(text).stream().map(Float::valueOf).toList());
            case STRINGS ->
                new Attribute.Strings(list(text).stream()
                        .map(item -> (Attribute.Bytes) Attribute.of(item))
                        .toList());
            default -> throw new IllegalStateException("no defaults of kind " + kind);
        };
    }

    private static List<String> list(String text) {
        String inner = text.substring(1, text.length() - 1);
        return inner.isEmpty() ? List.of() : List.of(inner.split(",", -1));
    }

    private static TypeConstraint constraint(String line, Map<String, List<String>> sets) {
        int equals = line.indexOf(" = ");
        var tensors = EnumSet.noneOf(ElementType.class);
        var others = new LinkedHashSet<String>();
        for (String type : expanded(line.substring(equals + 3), sets)) {
            if (type.indexOf('(') < 0) {
                tensors.add(ElementType.ofName(type));
            } else {
                others.add(type);
            }
        }
        return new TypeConstraint(line.substring(0, equals), tensors, others);
    }

    /** The types that {@code words} name, sets replaced by what they hold. */
    static List<String> expanded(String words, Map<String, List<String>> sets) {
        var types = new ArrayList<String>();
        for (String word : words.split(" ", -1)) {
            int dollar = word.indexOf('$');
            if (dollar < 0) {
                types.add(word);
                continue;
            }
            int close = word.indexOf(')');
            int end = close < 0 ? word.length() : close;
            String head = word.substring(0, dollar);
            List<String> set = sets.get(word.substring(dollar + 1, end));
            if (set == null) {
                throw new IllegalStateException("no set " + word);
            }
            for (String type : set) {
                types.add(head + type + word.substring(end));
            }
        }
        return types;
    }
}
