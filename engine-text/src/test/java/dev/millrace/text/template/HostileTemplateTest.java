package dev.millrace.text.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Templates that mean harm end with an {@link EngineException}, soon and without much memory or stack. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileTemplateTest {
    private static final int SMALL_STACK = 512 << 10;

    private static void refused(String template, String why) {
        assertThatThrownBy(() -> Rendered.of(template, Map.of("s", "text", "l", List.of(1L, 2L))))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining(why);
    }

    /** Runs a check on a thread with a small stack, as servers and pools have. */
    private static void onSmallStack(Runnable check) throws InterruptedException {
        var failure = new Throwable[1];
        var thread = new Thread(null, check, "small", SMALL_STACK);
        thread.setUncaughtExceptionHandler((_, e) -> failure[0] = e);
        thread.start();
        thread.join();
        assertThat(failure[0]).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        (       | )
        [       | ]
        {1:     | }
        not     | ''
        -       | ''
        1 if 1 else | ''
        x[      | ]
        f(      | )
        f(a=    | )
        x is in [ | ]
        """)
    void deeplyNestedExpressionsAreRefused(String open, String close) throws InterruptedException {
        String template = "{{ " + (open + " ").repeat(80_000) + "1" + close.repeat(80_000) + " }}";
        onSmallStack(() -> refused(template, "nested more than 100 deep"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        {% if 1 %}                | {% endif %}
        {% for i in [1] %}        | {% endfor %}
        {% filter upper %}        | {% endfilter %}
        {% set x %}               | {% endset %}
        {% macro f() %}           | {% endmacro %}
        {% call f() %}            | {% endcall %}
        {% generation %}          | {% endgeneration %}
        """)
    void deeplyNestedStatementsAreRefused(String open, String close) throws InterruptedException {
        String template = open.repeat(1000) + close.repeat(1000);
        onSmallStack(() -> refused(template, "nested more than 100 deep"));
    }

    @Test
    void deeplyNestedVariablesAreRefused() throws InterruptedException {
        String template = "{% set " + "(".repeat(1000) + "x" + ")".repeat(1000) + " = 1 %}";
        onSmallStack(() -> refused(template, "nested more than 100 deep"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        (       | )
        [       | ]
        {1:     | }
        not     | ''
        -       | ''
        dict(a= | )
        """)
    void templatesMayBeNestedNearlyAHundredDeep(String open, String close) throws InterruptedException {
        String template = "{% if 1 %}".repeat(40) + "{{ " + (open + " ").repeat(45) + "1" + close.repeat(45)
                + " is defined }}" + "{% endif %}".repeat(40);
        onSmallStack(() -> assertThat(Rendered.of(template)).isIn("True", "False"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"+ 1", "* 1", "~ 1", "and 1", "or 0", "< 2", "| string", ".x", "[0]", "is string"})
    void longChainsNeedNoStack(String link) throws InterruptedException {
        String template = "{{ 1 " + (link + " ").repeat(50_000) + "}}";
        onSmallStack(() -> {
            try {
                assertThat(Rendered.of(template)).isNotNull();
            } catch (EngineException e) {
                assertThat(e.getMessage()).contains("line 1, column");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
                "{% macro f(x) %}{% for i in [1] %}{% if 1 %}{{ f([x]) }}{% endif %}{% endfor %}{% endmacro %}{{ f(1)"
                        + " }}",
                "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ g() }}",
                "{% macro f() %}{% call f() %}{% endcall %}{% endmacro %}{{ f() }}",
                "{% macro f(x=f()) %}{% endmacro %}{{ f() }}",
                "{% set n = namespace() %}{% set n.n = n %}{{ n }}",
                "{% set n = namespace(x=[]) %}{% for i in range(5000) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x }}",
                "{% set n = namespace(x=[]) %}{% for i in range(5000) %}{% set n.x = [n.x] %}{% endfor %}{{ n.x|tojson"
                        + " }}",
                "{% set n = namespace(x=[], y=[]) %}{% for i in range(5000) %}{% set n.x = [n.x] %}{% set n.y = [n.y]"
                        + " %}{% endfor %}{{ n.x == n.y }}",
                "{% set n = namespace(x=[], y=[]) %}{% for i in range(5000) %}{% set n.x = [n.x] %}{% set n.y = [n.y]"
                        + " %}{% endfor %}{{ [n.x, n.y]|sort }}",
            })
    void endlessRecursionIsRefused(String template) throws InterruptedException {
        onSmallStack(() -> refused(template, "more than 300 deep"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
                "{% for i in range(99999) %}{% for j in 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' %}{{ j }}{% endfor %}{%"
                        + " endfor %}",
                "{% set n = namespace(x=[]) %}{% for i in range(40) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}",
                "{% set n = namespace(x=[]) %}{% for i in range(40) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x =="
                        + " n.x }}",
                "{% set n = namespace(x=1) %}{% for i in range(40) %}{% set n.x = {1: n.x, 2: n.x} %}{% endfor %}"
                        + "{{ n.x|tojson }}",
                "{% set a = range(100000) %}{% for i in a %}{% if -1 in a %}{% endif %}{% endfor %}",
                "{% set a = 'x' * 1000000 %}{% for i in range(99999) %}{% set b = a|upper %}{% endfor %}",
                "{% set a = 'x' * 1000000 %}{% for i in range(99999) %}{{ 'y' in a }}{% endfor %}",
                "{% set a = 'x' * 1000000 %}{% for i in range(99999) %}{{ a.split('y')|length }}{% endfor %}",
                "{% set a = ('x ' * 1000000).split() %}{% for i in range(99999) %}{% set b = a|sort %}{% endfor %}",
                "{% set n = namespace(x=[]) %}{% for i in range(99999) %}{% set n.x = n.x + [i] %}{% endfor %}",
                "{% set n = namespace(x='') %}{% for i in range(99999) %}{% set n.x = n.x ~ 'abcdefgh' %}{% endfor %}",
                "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
            })
    void endlessWorkIsRefused(String template) {
        refused(template, "takes more than 1000000 steps");
    }

    @ParameterizedTest
    @CsvSource(delimiterString = "-->", quoteCharacter = '`', textBlock = """
        {{ 'x' * 1000000000 }}                                      --> a text of more than 16777216 chars
        {{ 9223372036854775807 * 'xy' }}                            --> a text of more than 16777216 chars
        {% set a = 'x' * 9000000 %}{{ a ~ a }}                      --> a text of more than 16777216 chars
        {% set a = 'x' * 9000000 %}{{ a + a }}                      --> a text of more than 16777216 chars
        {% set a = 'x' * 9000000 %}{{ a }}{{ a }}                   --> a text of more than 16777216 chars
        {{ 'x' | replace('', 'y' * 9000000) }}                      --> a text of more than 16777216 chars
        {% set a = 'a' * 10000 %}{{ a.replace('a', a) }}            --> a text of more than 16777216 chars
        {{ ('y' * 9000000).join(['a', 'b', 'c']) }}                 --> a text of more than 16777216 chars
        {{ 'a' | indent(1000000000, true) }}                        --> a text of more than 16777216 chars
        {{ {'a': [1, 2]} | tojson(indent=1000000000) }}             --> a text of more than 16777216 chars
        {{ ('\\x01' * 5000000) | tojson }}                          --> a text of more than 16777216 chars
        {{ ('<' * 5000000) | escape }}                              --> a text of more than 16777216 chars
        {{ ['\\x01' * 5000000] }}                                   --> a text of more than 16777216 chars
        {{ [1] * 1000000000 }}                                      --> a list of more than 1048576 elements
        {{ 9223372036854775807 * [1, 2] }}                          --> a list of more than 1048576 elements
        {% set a = [1] * 1000000 %}{{ a + a }}                      --> a list of more than 1048576 elements
        {{ range(1000000000) }}                                     --> a range has more than 100000 elements
        {{ range(-9223372036854775807, 9223372036854775807, 2) }}   --> a range has more than 100000 elements
        {{ [1] | batch(1000000000, 'x') }}                          --> it is from 1 to 100000
        {{ [1] | slice(1000000000) }}                               --> it is from 1 to 100000
        {{ '%9999999999d' % 1 }}                                    --> a width or a precision above
        {{ '%.999999999f' % 1 }}                                    --> a width or a precision above
        {{ 10 ** 100 }}                                             --> no integer of 64 bits
        {{ 9223372036854775807 + 1 }}                               --> no integer of 64 bits
        {{ 2 ** 9223372036854775807 }}                              --> no integer of 64 bits
        {{ 99999999999999999999 }}                                  --> no integer of 64 bits
        {{ (1e300 * 1e300) | int(none) + 1 }}                       --> does not fit
        """)
    void hugeValuesAreRefused(String template, String why) {
        refused(template, why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{ ''.__class__ }}",
                "{{ ''['__class__'] }}",
                "{{ [].__class__.__mro__ }}",
                "{{ {}.__init__ }}",
                "{{ range.__globals__ }}",
                "{{ namespace().__dict__ }}",
                "{{ ''.upper.__self__ }}",
                "{{ none.__class__ }}",
                "{{ [1]|map(attribute='__class__')|list }}",
                "{{ ['a']|selectattr('__class__')|list }}",
                "{{ ['a']|sort(attribute='__class__') }}",
                "{{ ['a']|join(attribute='__class__') }}",
                "{% macro f() %}{% endmacro %}{{ f.__code__ }}",
                "{% for i in l %}{{ loop.__class__ }}{% endfor %}",
            })
    void noInnardsAreReached(String template) {
        refused(template, "is closed to templates");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{{ ''.getClass() }}",
                "{{ s.class.forName('java.lang.Runtime') }}",
                "{{ l.hashCode() }}",
                "{{ l.append(1) }}",
                "{{ {}.update({}) }}",
                "{{ s.format(1) }}",
                "{{ range.call() }}",
                "{{ self.x() }}",
                "{{ lipsum() }}",
            })
    void noMethodOfAnObjectIsReached(String template) {
        refused(template, "line 1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{% include 'x' %}",
                "{% import 'x' as y %}",
                "{% extends 'x' %}",
                "{% block a %}{% endblock %}",
                "{% do l.append(1) %}",
            })
    void otherStatementsAreRefusedByName(String template) {
        refused(template, "there is no statement '" + template.split(" ")[1] + "'");
    }

    @Test
    void longTemplatesAreRefused() {
        refused("x".repeat((1 << 20) + 1), "the longest that is read has 1048576");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{#", "{%", "{{", "{% raw %}{%", "{% raw %}{% endraw", "{{ '\\", "{% ", "{ "})
    void longTemplatesAreReadInLinearTime(String part) {
        try {
            assertThat(Rendered.of(part.repeat((1 << 20) / part.length()))).isNotEmpty();
        } catch (EngineException e) {
            assertThat(e.getMessage()).startsWith("line 1, column");
        }
    }

    @Test
    void theCheckIsCalledEveryFewHundredSteps() {
        var calls = new AtomicInteger();
        Template.parse("{% for i in range(1000) %}{{ i }}{% endfor %}")
                .render(Map.of(), new Rendering(1_000_000, Rendered.CLOCK, calls::incrementAndGet));
        assertThat(calls.get()).isBetween(5, 100);
    }

    @Test
    void aTemplateRendersOnManyThreadsAtOnce() {
        Template template = Template.parse(
                "{% set n = namespace(x=0) %}{% for i in range(m) %}{% set n.x = n.x + i %}" + "{% endfor %}{{ n.x }}");
        assertThat(IntStream.range(0, 200)
                        .parallel()
                        .mapToObj(m -> template.render(
                                Map.of("m", (long) m), new Rendering(1_000_000, Rendered.CLOCK, () -> {}))))
                .containsExactlyElementsOf(IntStream.range(0, 200)
                        .mapToObj(m -> String.valueOf(m * (m - 1) / 2))
                        .toList());
    }
}
