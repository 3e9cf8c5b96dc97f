package dev.millrace.text.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ParserTest {
    private static List<Statement> parsed(String template) {
        return StatementParser.parse(Source.of(template));
    }

    private static TemplateExpression expression(String text) {
        return ((Statement.Print) parsed("{{ " + text + " }}").getFirst()).expression();
    }

    @Test
    void operatorsOfOneRankAreOneNode() {
        assertThat(expression("1 + 2 - 3"))
                .isInstanceOfSatisfying(
                        TemplateExpression.Arithmetic.class,
                        sum -> assertThat(sum.links().stream().map(TemplateExpression.Link::operator))
                                .containsExactly("+", "-"));
    }

    @Test
    void stepsOfAPathAreOneNode() {
        assertThat(expression("a.b[0](1)|upper is string"))
                .isInstanceOfSatisfying(
                        TemplateExpression.Path.class,
                        path -> assertThat(path.steps().stream().map(Object::getClass))
                                .containsExactly(
                                        TemplateExpression.Attribute.class,
                                        TemplateExpression.Item.class,
                                        TemplateExpression.Call.class,
                                        TemplateExpression.Filter.class,
                                        TemplateExpression.Test.class));
    }

    @Test
    void aConditionBindsLooserThanOr() {
        assertThat(expression("a or b if c else d"))
                .isInstanceOfSatisfying(
                        TemplateExpression.Choice.class,
                        choice -> assertThat(choice.then()).isInstanceOf(TemplateExpression.Logic.class));
    }

    @Test
    void elifBranchesAreOneNode() {
        assertThat(parsed("{% if a %}{% elif b %}{% elif c %}{% else %}{% endif %}"))
                .singleElement()
                .isInstanceOfSatisfying(
                        Statement.If.class,
                        choice -> assertThat(choice.branches()).hasSize(4));
    }

    @ParameterizedTest
    @CsvSource(delimiterString = "-->", quoteCharacter = '`', textBlock = """
        {% if a %}b                             --> line 1, column 12: the end of the template stands where 'elif' or 'else' or 'endif' belongs
        {% for a in b %}{% endif %}             --> line 1, column 20: there is no statement 'endif'
        {% for a, 1 in b %}                     --> stands where 'in' belongs
        {% for true in b %}                     --> 'true' is no variable
        {% for a in b recursive %}              --> recursive loops are not supported
        {% include 'a' %}                       --> line 1, column 4: there is no statement 'include'
        {% 5 %}                                 --> '5' stands where the name of a statement belongs
        {% break %}                             --> 'break' stands outside of a loop
        {% for a in b %}{% set c %}{% break %}  --> 'break' stands outside of a loop
        {% for a in b %}{% else %}{% continue %}--> 'continue' stands outside of a loop
        {% macro a(b, b) %}{% endmacro %}       --> the parameter 'b' is there twice
        {% call a %}{% endcall %}               --> 'call' needs a call of a macro
        {% set a.b.c = 1 %}                     --> '.' stands where the end of the tag belongs
        {{ a(b=1, b=2) }}                       --> the argument 'b' is there twice
        {{ a(b=1, 2) }}                         --> '2' stands where an argument with a name belongs
        {{ a(*b) }}                             --> arguments with * or ** are not supported
        {{ a|b }}                               --> line 1, column 6: there is no filter 'b'
        {{ a is b }}                            --> line 1, column 9: there is no test 'b'
        {{ a is }}                              --> the end of the tag stands where the name of a test belongs
        {{ a|}}                                 --> the end of the tag stands where the name of a filter belongs
        {{ a b }}                               --> 'b' stands where the end of the tag belongs
        {{ a. }}                                --> the end of the tag stands where a name belongs
        {{ [1 2] }}                             --> '2' stands where ',' belongs
        {{ {1} }}                               --> '}' stands where ':' belongs
        {{ 99999999999999999999 }}              --> '99999999999999999999' is no integer of 64 bits
        {{ 0x }}                                --> '0x' is no integer of 64 bits
        """)
    void anErrorSaysWhatIsWrong(String template, String message) {
        assertThatThrownBy(() -> parsed(template))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }
}
