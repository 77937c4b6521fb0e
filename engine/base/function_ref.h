// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace meshreel {

template <typename Signature>
class FunctionRef;

/// A reference to a callable that the caller keeps alive, for functions that are done with it when they
/// return: unlike std::function it copies and allocates nothing. (C++26 has std::function_ref.)
template <typename Result, typename... Arguments>
class FunctionRef<Result(Arguments...)> {
  public:
    /// `callable` outlives the reference. It is not a pointer to a function.
    template <typename Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, FunctionRef> &&
             std::is_class_v<std::remove_cvref_t<Callable>> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>)
        FunctionRef(Callable&& callable)  // NOLINT(*-forwarding-reference-overload,*-missing-std-forward)
        : m_callable(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
          m_call([](void* what, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<Callable>*>(what))(
                  std::forward<Arguments>(arguments)...);
          }) {}

    Result operator()(Arguments... arguments) const {
        return m_call(m_callable, std::forward<Arguments>(arguments)...);
    }

  private:
    void* m_callable;
    Result (*m_call)(void*, Arguments...);
};

}  // namespace meshreel
