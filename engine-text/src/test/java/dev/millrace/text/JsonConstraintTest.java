package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The texts of each keyword of JSON schemas. Schemas and texts are written with single quotation marks. */
class JsonConstraintTest {
    private static Tokenizer tokenizer;

    @BeforeAll
    static void read() throws IOException {
        tokenizer = GoldenTest.tokenizer("byte-level").withoutMarks();
    }

    private static TextConstraint of(String schema) {
        return TextConstraint.jsonSchema(tokenizer, schema.replace('\'', '"'));
    }

    private static void refused(String schema, String why) {
        assertThatThrownBy(() -> of(schema))
                .isInstanceOfSatisfying(
                        EngineException.class,
                        thrown -> assertThat(thrown.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
        {'type':'null'} ; null ; 'null' 0
        {'type':'boolean'} ; true false ; null 1 True
        {'type':'integer'} ; 0 -7 123456789012345678 ; 01 1.0 +1 -0123 1e3 1234567890123456789
        {'type':'number'} ; 0 -7 1.5 -0.25e-3 1E+10 ; .5 1. 01.5 1e 1e100 NaN
        {'type':'string'} ; '' 'a' '\\"\\\\\\n' '水' '\\u0001' ; a 'a '\\x' '\\u0041' '\\/' '\t'
        {'type':['string','null']} ; 'a' null ; 1
        {} ; 1 'a' [] {} [1,'a'] [1,{'a':[]}] ; '[1 [1,]
        true ; 1 null ; x
        {'enum':['a',1,null,[1,{'b':2}],0.5]} ; 'a' 1 null [1,{'b':2}] 0.5 ; 'b' 2 [1]
        {'enum':['a',1],'type':'string'} ; 'a' ; 1
        {'const':'x\\ny'} ; 'x\\ny' ; 'xy'
        {'const':null} ; null ; 0
        {'allOf':[{'enum':[1,2,3]},{'enum':[3,2,5]}]} ; 2 3 ; 1 5
        {'anyOf':[{'type':'null'},{'const':7}]} ; null 7 ; 8
        {'oneOf':[{'type':'integer'},{'const':7}]} ; 7 8 ; 'a'
        {'type':'object','anyOf':[{'required':['a']},{'required':['b']}],'properties':{'a':{'const':1},'b':{'const':2}}} ; {'a':1} {'b':2} {'a':1,'b':2} ; {}
        {'properties':{'a':{'type':'integer'},'b':{}},'required':['b']} ; {'b':1} {'a':1,'b':[]} {'a':1,_'b':_{}} ; {} {'a':1} {'b':1,'a':1} {'c':1,'b':1} {'b':1,__'a':1}
        {'type':'object'} ; {} {'a':1} {'a':{'b':[]},'c':null} ; {'a'} {a:1} {_} []
        {'required':['a']} ; {'a':1} {'a':'b'} ; {} {'b':1}
        {'additionalProperties':{'type':'integer'}} ; {} {'a':1,'b':2} ; {'a':'b'}
        {'properties':{'a':{'const':1},'ab':{'const':2}},'additionalProperties':{'const':3}} ; {'a':1,'ab':2,'b':3} {'abc':3,'':3} {'a':1} ; {'a':3} {'ab':3} {'b':1}
        {'properties':{'a':true},'additionalProperties':false} ; {} {'a':1} ; {'b':1}
        {'properties':{'a':false}} ; {} ; {'a':1}
        {'allOf':[{'properties':{'a':{'minimum':1}}},{'properties':{'a':{'maximum':2}},'required':['a']}]} ; {'a':1} {'a':2} ; {} {'a':0} {'a':3}
        {'allOf':[{'properties':{'a':true}},{'properties':{'b':true},'additionalProperties':false}]} ; {} {'b':1} ; {'a':1}
        {'items':{'type':'integer'}} ; [] [1] [1,2] [1,_2] ; ['a'] [1,] [,1] [_1]
        {'items':{'const':1},'minItems':2,'maxItems':3} ; [1,1] [1,1,1] ; [] [1] [1,1,1,1]
        {'items':{'const':1},'minItems':1} ; [1] [1,1,1,1] ; []
        {'prefixItems':[{'const':1},{'const':2}],'items':{'const':3}} ; [] [1] [1,2] [1,2,3,3] ; [2] [1,3]
        {'prefixItems':[{'const':1}],'items':false} ; [] [1] ; [1,1]
        {'maxItems':0} ; [] ; [1]
        {'minLength':2,'maxLength':3} ; 'ab' 'a\\n' '🦀水x' ; 'a' 'abcd' ''
        {'maxLength':1} ; '' 'a' ; 'ab'
        {'minLength':3,'maxLength':2,'type':['string','null']} ; null ; 'ab' 'abc'
        {'pattern':'^[a-c]+$'} ; 'abc' ; '' 'abd' 1
        {'pattern':'b'} ; 'b' 'abc' '\\nb' ; 'a' ''
        {'pattern':'^a|b$'} ; 'a' 'ax' 'xb' ; 'xa' 'bx'
        {'pattern':'^[A-Z]{3}$','minLength':3,'maxLength':3} ; 'ABC' ; 'AB'
        {'pattern':'^\\\\\\\\\\"?$'} ; '\\\\' '\\\\\\"' ; '' '\\"'
        {'format':'date'} ; '2024-02-29' '2000-02-29' '2023-12-31' ; '2023-02-29' '1900-02-29' '2023-04-31' '2023-13-01'
        {'format':'time'} ; '23:59:59Z' '00:00:00.5+01:30' ; '24:00:00Z' '23:59:59'
        {'format':'date-time'} ; '2024-02-29T12:00:00Z' ; '2024-02-29' '2024-02-30T12:00:00Z'
        {'format':'uuid'} ; '123e4567-e89b-12d3-a456-426614174000' ; '123e4567e89b12d3a456426614174000'
        {'format':'email'} ; 'a.b@example.org' ; 'a@b' '@b.c' 'a b@c.d'
        {'format':'ipv4'} ; '255.0.10.199' ; '256.0.0.1' '1.2.3' '01.2.3.4'
        {'format':'color','type':'string'} ; 'any' ; 1
        {'minimum':5,'maximum':120,'type':'integer'} ; 5 10 99 100 120 ; 4 121 200 1000 -5 05
        {'minimum':-15,'exclusiveMaximum':3,'type':'integer'} ; -15 -9 -1 0 2 ; -16 -20 3 -0 10
        {'exclusiveMinimum':1.5,'maximum':2.25,'type':'integer'} ; 2 ; 1 3
        {'exclusiveMinimum':1.5,'maximum':2.25,'type':'number'} ; 1.51 1.50001 2 2.0 2.25 1.9 ; 1.5 1.50 2.26 2.251 1 3
        {'minimum':-0.5,'exclusiveMaximum':0.5} ; -0.5 -0.49 0 0.0 0.4999 -0.1 ; 0.5 -0.51 -0 -0.0 1
        {'exclusiveMinimum':0,'type':'number'} ; 0.001 1 123456.75 ; 0 0.0 -1
        {'minimum':100,'type':'integer'} ; 100 999999999999999999 ; 99 -100
        {'$ref':'#/$defs/a','title':'t','$defs':{'a':{'type':'integer'}}} ; 1 ; 'a'
        {'$ref':'#/$defs/a~1b','maximum':3,'$defs':{'a/b':{'type':'integer','minimum':2}}} ; 2 3 ; 1 4
        {'items':{'$ref':'#'},'type':'array','maxItems':2} ; [] [[],[]] [[[]]] ; [[],[],[]] [1]
        {'properties':{'next':{'$ref':'#'},'v':{'const':1}},'required':['v']} ; {'v':1} {'next':{'v':1},'v':1} ; {} {'next':{},'v':1}
        {'anyOf':[{'$ref':'#/anyOf/1'},{'type':'null'}]} ; null ; 1
        """)
    void textsFulfilASchema(String schema, String texts, String others) {
        TextConstraint constraint = of(schema);
        for (String text : texts.split(" ")) {
            String json = text.replace('\'', '"').replace('_', ' ');
            assertThat(constraint.matches(json)).as(json).isTrue();
            assertThat(constraint.matches(" " + json))
                    .as("one space before " + json)
                    .isTrue();
        }
        for (String text : others.split(" ")) {
            String json = text.replace('\'', '"').replace('_', ' ');
            assertThat(constraint.matches(json)).as(json).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
        {'items':{'multipleOf':3}} ; schema.items.multipleOf: constrained output does not support this keyword
        {'not':{}} ; schema.not:
        {'if':{}} ; schema.if:
        {'properties':{'a':{'uniqueItems':true}}} ; schema.properties.a.uniqueItems:
        {'minProperties':1} ; schema.minProperties:
        {'maxProperties':1} ; schema.maxProperties:
        {'patternProperties':{}} ; schema.patternProperties:
        {'colour':'red'} ; schema.colour:
        {'type':'text'} ; there is no type 'text'
        {'type':3} ; stands where a text belongs
        {'items':[{}]} ; prefixItems
        {'enum':['a'],'maxLength':3} ; beside enum and const, only type is supported
        {'pattern':'^a+$','maxLength':3} ; write the lengths in the pattern
        {'pattern':'a(?=b)'} ; a look ahead or behind
        {'allOf':[{'pattern':'a'},{'pattern':'b'}]} ; two patterns
        {'$ref':'other.json'} ; only references within the schema
        {'$ref':'#/$defs/x'} ; the schema has no '#/$defs/x'
        {'$ref':'#'} ; refers to itself
        {'$ref':'#/$defs/%zz'} ; cannot be read
        {'anyOf':[{'$ref':'#'},{'type':'null'}]} ; left-recursive
        {'required':['a'],'properties':{'a':{'$ref':'#'}}} ; describes no text
        {'required':['a'],'properties':{'a':false}} ; describes no text
        {'type':'integer','minimum':3,'maximum':2} ; describes no text
        false ; describes no text
        {'enum':[]} ; describes no text
        {'anyOf':[]} ; a list of schemas belongs here
        {'const':12345678901234567890} ; 2^53
        {'minLength':-1} ; a count belongs
        {'minLength':'1'} ; a number belongs
        {'minItems':3000000} ; too large
        {'maxLength':300000000} ; too large
        [] ; a schema is an object, true or false
        {'type' ; no JSON
        """)
    void otherSchemasAreRefusedWithTheirPlace(String schema, String why) {
        refused(schema, why);
    }

    @Test
    void hostileSchemasAreRefused() {
        String choices = "{'anyOf':[{'minimum':1},{'minimum':2},{'minimum':3},{'minimum':4},{'minimum':5}]}";
        String many = IntStream.range(0, 12).mapToObj(i -> choices).collect(Collectors.joining(","));
        refused("{'allOf':[" + many + "]}", "combinations of schemas");
        String deep = "{'allOf':[".repeat(230) + "{}" + "]}".repeat(230);
        refused(deep, "deep");
        refused("[".repeat(2000), "no JSON");
        refused(" ".repeat(1 << 20) + "{}", "1048576 are possible");
        String names =
                IntStream.range(0, 30_000).mapToObj(i -> "'n" + i + "':{}").collect(Collectors.joining(","));
        refused("{'properties':{" + names + "}}", "combinations of schemas");
        String schemas =
                IntStream.range(0, 300).mapToObj(i -> "{'minimum':" + i + "}").collect(Collectors.joining(","));
        refused("{'allOf':[" + schemas + "]}", "schemas hold together");
        var chain = new StringBuilder("{'$ref':'#/$defs/a0','$defs':{");
        for (int i = 0; i < 3000; i++) {
            chain.append("'a%d':{'$ref':'#/$defs/a%d'},".formatted(i, i + 1));
        }
        refused(chain + "'a3000':{}}}", "deep");
        String nested = "{'type':'array','minItems':1,'items':".repeat(240) + "{'minLength':1}" + "}".repeat(240);
        assertThat(of(nested).matches("[".repeat(240) + "\"a\"" + "]".repeat(240)))
                .isTrue();
    }

    @Test
    void jsonOfAnyTypeNestsUpToABound() {
        TextConstraint json = TextConstraint.json(tokenizer);
        assertThat(List.of("{\"a\":[1, true, {\"b\": null}]}", " \"x\"", "-1.5e3", "[[[]]]"))
                .allMatch(json::matches);
        assertThat(List.of("", "  1", "1 ", "{\"a\" :1}", "[1,  2]", "[\n]", "nul"))
                .noneMatch(json::matches);
        String open = "[".repeat(100);
        assertThat(json.matches(open + "]".repeat(100))).isTrue();
        // where no deeper value fits, the answer can still be closed
        var state = json.begin(new long[0]);
        int depth = 0;
        while (Objects.requireNonNull(state.allowed()).get(tokenizer.id("["))) {
            state.accept(tokenizer.id("["));
            depth++;
        }
        assertThat(depth).isBetween(100, 300);
        for (int i = 0; i < depth; i++) {
            state.accept(tokenizer.id("]"));
        }
        assertThat(state.mayEnd()).isTrue();
    }
}
