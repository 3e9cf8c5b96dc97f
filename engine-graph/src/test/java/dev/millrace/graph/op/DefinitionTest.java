package dev.millrace.graph.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefinitionTest {
    private static final Term X = new Term.Input(0);

    private static List<Definition> definitions(String line) {
        var file = new SchemaFile("test", "test.txt", """
            Other 1
            < X:T
            > Y:T
            T = float

            Test 1
            %s
            < X:T bias?:T kind:I
            > Y:T Z:I
            T = float
            I = int64
            @ alpha:float=0.5 beta:float mode:string=tanh count:int=1
            """.formatted(line));
        return file.definitions(Objects.requireNonNull(file.find("Test", 1)));
    }

    private static Term.Call call(String name, Term... operands) {
        return new Term.Call(OpId.onnx(name), List.of(operands), Map.of());
    }

    @Test
    void everyFormulaOfTheTableCanBeRead() {
        int formulas = 0;
        for (OperatorSchema schema : Schemas.all()) {
            List<Definition> definitions = Schemas.definitions(schema);
            assertThat(definitions.isEmpty()).as(schema.op().toString()).isNotEqualTo(Schemas.isDefined(schema.op()));
            formulas += definitions.size();
        }
        assertThat(formulas).isPositive();
    }

    @Test
    void operandsAreInputsAttributesNumbersAndOtherOperators() {
        OperatorSchema mish = Objects.requireNonNull(Schemas.find(OpId.onnx("Mish"), 22));
        assertThat(Schemas.definitions(mish))
                .containsExactly(new Definition(0, call("Mul", X, call("Tanh", call("Softplus", X)))));
        Term alpha = new Term.Setting(new AttributeSpec("alpha", AttributeSpec.Kind.FLOAT, false, Attribute.of(0.5f)));
        assertThat(definitions("= Y: Add(Mul(alpha, X), -1.5e-3)"))
                .containsExactly(new Definition(0, call("Add", call("Mul", alpha, X), new Term.Number(-1.5e-3))));
    }

    @Test
    void attributesOfWhatIsCalledAreNamed() {
        assertThat(definitions("= Y: Gelu(Add(X, bias), approximate=mode)")
                        .getFirst()
                        .formula()
                        .attributes())
                .hasEntrySatisfying("approximate", mode -> assertThat(mode).isInstanceOf(Term.Setting.class));
        assertThat(definitions("= Y: Gelu(X, approximate=none)").getFirst().formula())
                .isEqualTo(new Term.Call(OpId.onnx("Gelu"), List.of(X), Map.of("approximate", new Term.Word("none"))));
        assertThat(definitions("= Y: Elu(X, alpha=2)").getFirst().formula())
                .isEqualTo(new Term.Call(OpId.onnx("Elu"), List.of(X), Map.of("alpha", new Term.Number(2))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "W: Neg(X)                         | no such output of test.Test: 'W'",
                "Z: Neg(X)                         | the output is not of the first input's type",
                "Y: X                              | no operator",
                "Y Neg(X)                          | no ': '",
                "Y: Negative(X)                    | 'Negative' is none of ONNX's operators",
                "Y: Mish(X)                        | or is made of others itself",
                "Y: Neg(W)                         | 'W' is no input or attribute of test.Test, and no number",
                "Y: Neg(X, 2)                      | 2 operands of Neg",
                "Y: Sub(X)                         | 1 operands of Sub",
                "Y: Neg(beta)                      | 'beta' may have no value",
                "Y: Neg(count)                     | 'count' is of kind int, not float",
                "Y: Where(Less(X, 0), X, bias)     | an optional input among 3",
                "Y: Elu(X, beta=2)                 | no attribute 'beta' of Elu",
                "Y: Elu(X, alpha=mode)             | 'mode' is of kind string, not float",
                "Y: Softmax(X, axis=1)             | an attribute of kind int",
                "Y: Neg(X                          | no ')'",
                "Y: Neg(X))                        | more than a formula",
                "Y: Neg()                          | nothing where a name or a number is expected",
            })
    void whatTheSchemasDoNotAllowIsRefusedWithFileAndLine(String formula, String why) {
        assertThatThrownBy(() -> definitions("= " + formula))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageStartingWith("test.txt:7: ")
                .hasMessageContaining(why)
                .hasMessageEndingWith(" of '" + formula + "'");
    }
}
