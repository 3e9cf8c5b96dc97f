package dev.millrace.kotlin

import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import java.lang.classfile.AnnotationValue
import java.lang.classfile.Attributes
import java.lang.classfile.ClassFile
import java.lang.classfile.ClassModel
import java.nio.file.Files
import java.nio.file.Path

/** Kotlin 2.2 refuses classes and libraries of a later language than 2.3, and to inline what is newer than its own. */
class OlderCompilersTest {
    private val classes: List<ClassModel> =
        Path
            .of(
                MillraceDsl::class.java.protectionDomain.codeSource.location
                    .toURI(),
            ).let { root ->
                Files.walk(root).use { files ->
                    files
                        .filter { it.toString().endsWith(".class") && it.fileName.toString() != "module-info.class" }
                        .map { ClassFile.of().parse(it) }
                        .toList()
                }
            }

    /** The version of the language in which Kotlin's notes about a class are written; null for a class of Java. */
    private fun language(model: ClassModel): List<Int>? =
        model
            .findAttribute(Attributes.runtimeVisibleAnnotations())
            .flatMap { all ->
                all
                    .annotations()
                    .stream()
                    .filter { it.className().stringValue() == "Lkotlin/Metadata;" }
                    .findFirst()
            }.map { metadata ->
                val version = metadata.elements().first { it.name().stringValue() == "mv" }.value()
                (version as AnnotationValue.OfArray).values().map { (it as AnnotationValue.OfInt).intValue() }
            }.orElse(null)

    @Test
    fun `classes are written for Kotlin 2_2`() {
        assertThat(classes.mapNotNull(::language)).hasSizeGreaterThan(10).allSatisfy {
            assertThat(it.take(2)).isEqualTo(listOf(2, 2))
        }
    }

    @Test
    fun `what is inlined fits into bytecode for Java 17`() {
        assertThat(classes).allSatisfy { assertThat(it.majorVersion()).isLessThanOrEqualTo(ClassFile.JAVA_17_VERSION) }
    }

    @Test
    fun `the standard library that comes along is one of Kotlin 2_2`() {
        assertThat(KotlinVersion.CURRENT.isAtLeast(2, 3)).isFalse()
    }
}
