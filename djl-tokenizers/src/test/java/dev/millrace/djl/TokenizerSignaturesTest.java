package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleFinder;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests that the types of this module have the public and protected members of DJL's. */
class TokenizerSignaturesTest {
    private static final List<String> TYPES = List.of(
            "HuggingFaceTokenizer", "HuggingFaceTokenizer$Builder", "Encoding", "TokenizerConfig", "jni.CharSpan");
    private static final int MODIFIERS =
            Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL;

    private static boolean isVisible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String described(Executable member) {
        String result = member instanceof Method method ? method.getGenericReturnType() + " " : "";
        return Modifier.toString(member.getModifiers() & MODIFIERS) + " " + result + member.getName()
                + Arrays.toString(member.getGenericParameterTypes()) + " throws "
                + Arrays.toString(member.getGenericExceptionTypes());
    }

    private static Set<String> members(Side side) throws Exception {
        var lines = new TreeSet<String>();
        for (String name : TYPES) {
            Class<?> type = side.type(name);
            lines.add(name + " " + type.toGenericString() + " : " + type.getGenericSuperclass() + " "
                    + Arrays.toString(type.getGenericInterfaces()));
            for (Method method : type.getDeclaredMethods()) {
                // nothing has to be finalized here
                if (isVisible(method.getModifiers())
                        && !method.isBridge()
                        && !method.getName().equals("finalize")) {
                    lines.add(name + ": " + described(method));
                }
            }
            for (var constructor : type.getDeclaredConstructors()) {
                if (isVisible(constructor.getModifiers())) {
                    lines.add(name + ": " + described(constructor));
                }
            }
            Arrays.stream(type.getDeclaredFields())
                    .filter(field -> isVisible(field.getModifiers()))
                    .forEach(field -> lines.add(name + ": " + field));
        }
        return lines;
    }

    @Test
    void allMembersAreThereAndNoOthers() throws Exception {
        Set<String> expected = members(Side.DJL);
        assertThat(expected).hasSizeGreaterThan(70);
        assertThat(members(Side.OURS)).isEqualTo(expected);
    }

    @Test
    void theModuleHasTheNameOfTheJar() {
        String name = ModuleFinder.of(Path.of(System.getProperty("tokenizers.jar")))
                .findAll()
                .iterator()
                .next()
                .descriptor()
                .name();
        assertThat(ModuleFinder.of(Path.of("target/classes")).find(name)).isPresent();
    }
}
