// The functions of the fmt whose headers torch's package carries, compiled once for all files that see
// torch. Those headers stand before the system's there, and no library has their functions. The
// torch-free layers have the system's fmt; the two have namespaces of their own.
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {
template FMT_API auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
}  // namespace detail
FMT_END_NAMESPACE
