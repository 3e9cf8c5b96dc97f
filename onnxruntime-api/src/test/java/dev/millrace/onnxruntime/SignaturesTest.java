package dev.millrace.onnxruntime;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that this module has exactly the public types and members of ONNX Runtime's jar. */
@EnabledIfSystemProperty(named = "onnxruntime.jar", matches = ".+") // absent where the jar itself is tested
class SignaturesTest {
    private static final Path JAR = Path.of(System.getProperty("onnxruntime.jar"));
    /** The modifiers that callers can tell. */
    private static final int MODIFIERS =
            Modifier.PUBLIC | Modifier.PROTECTED | Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL;

    private static Set<String> typeNames() throws Exception {
        try (var jar = new JarFile(JAR.toFile())) {
            return jar.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith("ai/onnxruntime/") && name.endsWith(".class"))
                    .map(name -> name.replace(".class", "").replace('/', '.'))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Returns a line for each member of each public type. */
    private static Set<String> membersOf(ClassLoader loader) throws Exception {
        var lines = new TreeSet<String>();
        for (String name : typeNames()) {
            Class<?> type = find(loader, name);
            if (type != null && isVisible(type)) {
                lines.add(described(type));
                Stream.of(type.getConstructors()).map(SignaturesTest::described).forEach(lines::add);
                methods(type).forEach(method -> lines.add(name + ": " + described(method)));
                fields(type)
                        .forEach(field -> lines.add(name + ": " + Modifier.toString(field.getModifiers() & MODIFIERS)
                                + " " + field.getGenericType() + " " + field.getName()));
            }
        }
        return lines;
    }

    /** Returns the type of a name; null if the loader has none. */
    private static @Nullable Class<?> find(ClassLoader loader, String name) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static boolean isVisible(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getEnclosingClass()) {
            if (!Modifier.isPublic(each.getModifiers())) {
                return false;
            }
        }
        return true;
    }

    private static String described(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        while (parent != null && !Modifier.isPublic(parent.getModifiers())) {
            parent = parent.getSuperclass();
        }
        return Modifier.toString(type.getModifiers() & MODIFIERS) + " " + type.toGenericString() + " : " + parent + " "
                + Arrays.stream(type.getGenericInterfaces())
                        .map(Object::toString)
                        .sorted()
                        .toList();
    }

    /** Returns the methods that callers and subclasses see, inherited ones included. */
    private static Stream<Method> methods(Class<?> type) {
        Stream<Method> own = Stream.empty();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            own = Stream.concat(
                    own,
                    Arrays.stream(each.getDeclaredMethods())
                            .filter(method -> Modifier.isProtected(method.getModifiers()))
                            .filter(method -> !method.isSynthetic()));
        }
        Stream<Method> visible = Arrays.stream(type.getMethods())
                .filter(method -> method.getDeclaringClass() != Object.class)
                .filter(method -> !isObjects(method))
                .map(SignaturesTest::withoutBridge);
        return Stream.concat(own, visible);
    }

    /** Returns the method of a hidden superclass to which javac made a bridge: a bridge has lost its type arguments. */
    private static Method withoutBridge(Method method) {
        Class<?> parent = method.getDeclaringClass().getSuperclass();
        for (Class<?> each = parent; method.isBridge() && each != null; each = each.getSuperclass()) {
            for (Method inherited : each.getDeclaredMethods()) {
                if (inherited.getName().equals(method.getName())
                        && Arrays.equals(inherited.getParameterTypes(), method.getParameterTypes())
                        && inherited.getReturnType() == method.getReturnType()) {
                    return inherited;
                }
            }
        }
        return method;
    }

    /** Returns whether a method overrides one of Object, which everybody can call anyway. */
    private static boolean isObjects(Method method) {
        return Arrays.stream(Object.class.getMethods())
                .anyMatch(each -> each.getName().equals(method.getName())
                        && Arrays.equals(each.getParameterTypes(), method.getParameterTypes()));
    }

    private static Stream<Field> fields(Class<?> type) {
        return Arrays.stream(type.getDeclaredFields())
                .filter(field -> Modifier.isPublic(field.getModifiers()) || Modifier.isProtected(field.getModifiers()));
    }

    private static String described(Executable member) {
        String result = member instanceof Method method ? method.getGenericReturnType() + " " : "";
        return Modifier.toString(member.getModifiers() & MODIFIERS) + " " + result + member.getName()
                + Arrays.toString(member.getTypeParameters()) + Arrays.toString(member.getGenericParameterTypes())
                + " throws " + Arrays.toString(member.getGenericExceptionTypes());
    }

    @Test
    void allPublicMembersAreThereAndNoOthers() throws Exception {
        try (var loader = new URLClassLoader(new URL[] {JAR.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            Set<String> expected = membersOf(loader);
            assertThat(expected).hasSizeGreaterThan(400);
            assertThat(membersOf(SignaturesTest.class.getClassLoader())).isEqualTo(expected);
        }
    }

    @Test
    void theModuleHasTheNameAndThePackagesOfTheJar() throws Exception {
        String name =
                ModuleFinder.of(JAR).findAll().iterator().next().descriptor().name();
        ModuleDescriptor own = ModuleFinder.of(Path.of("target/classes"))
                .find(name)
                .orElseThrow()
                .descriptor();
        assertThat(own.exports().stream().map(ModuleDescriptor.Exports::source))
                .containsExactlyInAnyOrder("ai.onnxruntime", "ai.onnxruntime.platform", "ai.onnxruntime.providers");
    }
}
