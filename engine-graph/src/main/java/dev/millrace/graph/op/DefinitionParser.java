package dev.millrace.graph.op;

import dev.millrace.graph.ir.OpId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads a line of a [SchemaFile] that says what an output is made of: its name, a colon, and operators of ONNX with
/// their operands in parentheses. A word is an input of the operator, one of its attributes or a number; behind a name
/// and an equals sign it is an attribute of the operator that is called.
///
/// What the schemas do not allow is refused with an [IllegalArgumentException].
final class DefinitionParser {
    private final OperatorSchema schema;
    private final String line;
    private int position;

    private DefinitionParser(OperatorSchema schema, String line) {
        this.schema = schema;
        this.line = line;
    }

    static Definition parse(OperatorSchema schema, String line) {
        return new DefinitionParser(schema, line).definition();
    }

    private Definition definition() {
        int output = index(schema.outputs(), word());
        require(output >= 0, "no such output of " + schema.op());
        require(
                schema.outputs()
                        .get(output)
                        .type()
                        .equals(schema.inputs().getFirst().type()),
                "the output is not of the first input's type");
        expect(": ");
        String name = word();
        require(next('('), "no operator");
        Term.Call formula = call(name);
        require(position == line.length(), "more than a formula");
        return new Definition(output, formula);
    }

    /// What stands up to the next sign.
    private String word() {
        int start = position;
        while (position < line.length() && ":(),= ".indexOf(line.charAt(position)) < 0) {
            position++;
        }
        require(position > start, "nothing where a name or a number is expected");
        return line.substring(start, position);
    }

    private boolean next(char sign) {
        return position < line.length() && line.charAt(position) == sign;
    }

    private void expect(String sign) {
        require(line.startsWith(sign, position), "no '" + sign + "'");
        position += sign.length();
    }

    private Term.Call call(String name) {
        OpId op = OpId.onnx(name);
        OperatorSchema called = Schemas.find(op, Integer.MAX_VALUE);
        if (called == null || Schemas.isDefined(op)) {
            throw refuse("'" + name + "' is none of ONNX's operators, or is made of others itself");
        }
        var operands = new ArrayList<Term>();
        Map<String, Term> attributes = new LinkedHashMap<>();
        expect("(");
        do {
            String word = word();
            if (next('=')) {
                expect("=");
                attributes.put(word, attribute(called, word, word()));
            } else {
                operands.add(next('(') ? call(word) : leaf(word));
            }
        } while (separated());
        expect(")");
        int count = operands.size();
        require(
                count >= OperatorSchema.least(called.inputs()) && count <= OperatorSchema.most(called.inputs()),
                count + " operands of " + name);
        require(count <= 2 || operands.stream().noneMatch(this::isOptional), "an optional input among " + count);
        return new Term.Call(op, operands, attributes);
    }

    private boolean separated() {
        boolean more = next(',');
        if (more) {
            expect(", ");
        }
        return more;
    }

    private boolean isOptional(Term term) {
        return term instanceof Term.Input(int index)
                && schema.inputs().get(index).isOptional();
    }

    private Term leaf(String word) {
        int input = index(schema.inputs(), word);
        if (input >= 0) {
            return new Term.Input(input);
        }
        Term.Setting setting = setting(word, AttributeSpec.Kind.FLOAT);
        return setting == null ? number(word) : setting;
    }

    private Term number(String word) {
        try {
            return new Term.Number(Double.parseDouble(word));
        } catch (NumberFormatException none) {
            throw refuse("'" + word + "' is no input or attribute of " + schema.op() + ", and no number");
        }
    }

    private Term attribute(OperatorSchema called, String name, String word) {
        AttributeSpec attribute = called.attribute(name);
        if (attribute == null) {
            throw refuse("no attribute '" + name + "' of " + called.op());
        }
        Term.Setting setting = setting(word, attribute.kind());
        if (setting != null) {
            return setting;
        }
        return switch (attribute.kind()) {
            case FLOAT -> number(word);
            case STRING -> new Term.Word(word);
            default -> throw refuse("an attribute of kind " + attribute.kind());
        };
    }

    /// The attribute of the operator that is called {@code word}, or null where there is none.
    private Term.@Nullable Setting setting(String word, AttributeSpec.Kind kind) {
        AttributeSpec attribute = schema.attribute(word);
        if (attribute == null) {
            return null;
        }
        require(attribute.kind() == kind, "'" + word + "' is of kind " + attribute.kind() + ", not " + kind);
        require(attribute.required() || attribute.defaultValue() != null, "'" + word + "' may have no value");
        return new Term.Setting(attribute);
    }

    private static int index(List<Parameter> parameters, String name) {
        for (int i = 0; i < parameters.size(); i++) {
            if (parameters.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw refuse(otherwise);
        }
    }

    private IllegalArgumentException refuse(String what) {
        return new IllegalArgumentException(what + ": '" + line.substring(0, position) + "' of '" + line + "'");
    }
}
