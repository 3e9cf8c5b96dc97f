package dev.millrace.text.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decisions and messages of the interpreter that {@link JinjaTableTest} does not cover. */
class InterpreterTest {
    @Test
    void aVariableMayHideAFunction() {
        assertThat(Rendered.of("{{ range }}", Map.of("range", "mine"))).isEqualTo("mine");
    }

    @Test
    void aLoopHasVariablesOfItsOwn() {
        assertThat(Rendered.of("{% set a = 1 %}{% for b in [2] %}{% set a = b %}{{ a }}{% endfor %}{{ a }}{{ b }}"))
                .isEqualTo("21");
    }

    @Test
    void aConditionHasNoVariablesOfItsOwn() {
        assertThat(Rendered.of("{% if true %}{% set a = 1 %}{% endif %}{{ a }}"))
                .isEqualTo("1");
    }

    @Test
    void aMacroSeesVariablesThatAreSetLater() {
        assertThat(Rendered.of("{% macro f() %}{{ a }}{% endmacro %}{{ f() }}{% set a = 1 %}{{ f() }}"))
                .isEqualTo("1");
    }

    @Test
    void aNamespaceOutlivesItsLoop() {
        assertThat(Rendered.of(
                        "{% set n = namespace(a=0) %}{% for b in [1, 2] %}{% set n.a = b %}{% endfor %}{{ n.a }}"))
                .isEqualTo("2");
    }

    @Test
    void charactersAreCodePoints() {
        assertThat(Rendered.of("{{ s|length }}{{ s[1] }}{{ s[::-1] }}{{ s.find('b') }}", Map.of("s", "a😀b")))
                .isEqualTo("3😀b😀a2");
    }

    @Test
    void filtersGiveLists() {
        assertThat(Rendered.of("{{ [1, 2]|map('string') }} {{ [2, 1]|reverse|length }} {{ {'a': 1}.items() }}"))
                .isEqualTo("['1', '2'] 2 [('a', 1)]");
    }

    @Test
    void keysOfDictsDifferByType() {
        assertThat(Rendered.of("{{ {1: 'a', true: 'b', 1.0: 'c'}|length }}")).isEqualTo("3");
    }

    @Test
    void keysWithLeadingUnderscoresAreItems() {
        assertThat(Rendered.of("{{ d.__a__ }}{{ d['_b'] }}", Map.of("d", Map.of("__a__", 1L, "_b", 2L))))
                .isEqualTo("12");
    }

    @Test
    void anUnknownFilterInABranchFailsIfItIsReached() {
        Template template = Template.parse("{% if a %}{{ a|foo }}{% endif %}");
        var rendering = new Rendering(1000, Rendered.CLOCK, () -> {});
        assertThat(template.render(Map.of(), rendering)).isEmpty();
        assertThatThrownBy(() -> template.render(Map.of("a", 1L), rendering))
                .isInstanceOf(EngineException.class)
                .hasMessage("line 1, column 16: there is no filter 'foo'");
    }

    @Test
    void anUnknownFilterElsewhereIsRefusedWhenTheTemplateIsRead() {
        assertThatThrownBy(() -> Template.parse("{% for b in a %}{{ b|foo }}{% endfor %}"))
                .isInstanceOf(EngineException.class)
                .hasMessage("line 1, column 22: there is no filter 'foo'");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = "-->", quoteCharacter = '`', textBlock = """
        {{ a.b }}                       --> line 1, column 6: 'a' is undefined
        {{ {}.a.b }}                    --> line 1, column 9: a dict has no attribute 'a'
        {{ 1 + 'a' }}                   --> line 1, column 6: + does not fit an integer and a string
        {{ 'a' + none }}                --> + does not fit a string and none
        {{ 1 < 'a' }}                   --> an integer and a string have no order
        {{ -'a' }}                      --> a string has no sign
        {{ 1 // 0 }}                    --> division by zero
        {{ 1() }}                       --> line 1, column 5: an integer cannot be called
        {{ {[]: 1} }}                   --> a list cannot be a key of a dict
        {{ 'a'|trim(1) }}               --> line 1, column 8: the argument 'chars' is an integer and no string
        {{ 'a'|trim('a', 'b') }}        --> 'trim' takes no more than [chars]
        {{ 'a'|trim(c='b') }}           --> 'trim' takes no argument 'c'
        {{ 'a'|upper(1) }}              --> 'upper' takes no arguments
        {{ 'a'|replace('b') }}          --> the argument 'new' is missing
        {{ 'a'.split(1) }}              --> the argument 'sep' is an integer and no string
        {{ [1]|map('foo') }}            --> there is no filter 'foo'
        {{ [1]|select('foo') }}         --> there is no test 'foo'
        {{ range|tojson }}              --> a function cannot be written as JSON
        {{ 1.5|round(0, 'up') }}        --> 'round' has no method 'up'; there are common, ceil and floor
        {{ {}|dictsort(by='x') }}       --> 'dictsort' sorts by key or value, and not by 'x'
        {% for a in 1 %}{% endfor %}    --> line 1, column 13: an integer cannot be iterated
        {% set a, b = [1] %}            --> line 1, column 8: 1 values go to 2 variables
        {% set a = 1 %}{% set a.b = 1 %}--> 'a' is no namespace, so its attributes cannot be set
        {% macro f(a) %}{% endmacro %}{{ f(1, 2) }} --> 'f' takes no more than [a]
        {{ raise_exception('no ' ~ 1) }} --> line 1, column 19: no 1
        """)
    void anErrorSaysWhatIsWrong(String template, String message) {
        assertThatThrownBy(() -> Rendered.of(template))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining(message);
    }

    @Test
    void aCheckThatThrowsEndsTheRendering() {
        Template template = Template.parse("{% for a in range(10000) %}{{ a }}{% endfor %}");
        var stop = new Rendering(1_000_000, Rendered.CLOCK, () -> {
            throw new EngineException(Status.CANCELLED, "stopped");
        });
        assertThatThrownBy(() -> template.render(Map.of(), stop))
                .isInstanceOf(EngineException.class)
                .hasMessage("stopped");
    }
}
