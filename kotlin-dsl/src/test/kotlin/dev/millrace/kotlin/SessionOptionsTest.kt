package dev.millrace.kotlin

import dev.millrace.session.SessionOption
import dev.millrace.session.SessionOptions
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Tests that every option of sessions has a property or a function of its name here, which sets it. */
class SessionOptionsTest {
    private val methods = SessionConfiguration::class.java.methods.toList()

    private fun setter(option: SessionOption<*>) =
        methods.singleOrNull { it.name == "set" + option.name().replaceFirstChar(Char::uppercase) }

    @Test
    fun `every option has a property or a function of its name`() {
        val functions = methods.map { it.name }
        assertThat(SessionOption.all()).allMatch { setter(it) != null || it.name() in functions }
    }

    @Test
    fun `a property is the option of its name`() {
        val set = SessionOption.all().filter { it.hasText() }
        assertThat(set).hasSizeGreaterThan(10).allSatisfy { option ->
            val text = other(option)
            val configuration = SessionConfiguration()
            setter(option)!!.invoke(configuration, option.parse(text))
            val byName = SessionOptions.builder().set(option.name(), text).build()
            assertThat(configuration.build().get(option)).isEqualTo(byName.get(option)).isNotEqualTo(option.byDefault())
        }
    }

    /** The text of a value that is not the default. */
    private fun other(option: SessionOption<*>): String =
        when (option.byDefault()) {
            is Boolean -> "true"
            is Int -> "7"
            is Enum<*> -> "MAP"
            else -> if (option == SessionOption.DEVICE_POLICY) "prefer_npu" else "some"
        }
}
